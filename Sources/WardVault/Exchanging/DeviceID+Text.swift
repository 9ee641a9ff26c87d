package import WardLog
internal import WardText

extension DeviceID {
    /// All bytes of the ID, in 32 hexadecimal digits.
    package var text: String { Hex.encode(bytes) }

    /// Reads 32 hexadecimal digits; `nil` for another text.
    package init?(text: String) {
        guard let bytes = Hex.decode(text) else { return nil }
        self.init(bytes)
    }
}

extension PairingRequest {
    /// The ID that the new device gets.
    package var deviceID: DeviceID { device.id }
}
