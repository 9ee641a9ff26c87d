package import WardLog

extension PairingRequest {
    /// The ID that the new device gets.
    package var deviceID: DeviceID { device.id }
}
