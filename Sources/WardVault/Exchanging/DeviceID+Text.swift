package import WardLog
internal import WardText

extension DeviceID {
    /// All bytes of the ID, in 32 hexadecimal digits.
    package var text: String { Hex.encode(bytes) }
}

extension VaultID {
    /// The whole ID in hexadecimal digits.
    package var text: String { Hex.encode(bytes) }
}
