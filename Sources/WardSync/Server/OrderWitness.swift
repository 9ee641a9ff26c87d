package import WardLog

/// An entry of another device that says what its server showed it.
///
/// If this device was shown something else, the entry and the next one of this device prove to anybody that the server showed two
/// orders. Both stay in the log. `Documentation/formats/sync.md`, "The order of a server".
package struct OrderWitness: Hashable, Sendable {
    /// What the other device was shown.
    package let position: RemotePosition
    /// The device that wrote the entry.
    package let device: DeviceID
    /// The number of the entry on its device.
    package let sequence: UInt64

    package init(_ position: RemotePosition, device: DeviceID, sequence: UInt64) {
        self.position = position
        self.device = device
        self.sequence = sequence
    }

    /// Where the proof is, as a clause for people.
    package var text: String {
        "entry \(sequence) of the device \(device) names another change as number \(position.number) of the server"
    }
}
