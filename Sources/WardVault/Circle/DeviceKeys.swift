internal import WardLog

/// The key pair of HPKE with which a device opens what other devices seal for it.
///
/// It belongs to the device's Ed25519 key and is stored with it. `Documentation/formats/vault.md`, "This device".
struct DeviceKeys: Sendable, CustomStringConvertible, CustomReflectable {
    let pair: HPKEKeyPair

    /// The suite of every device.
    static let suite = CircleSuite.xWing

    /// Creates the keys of a new device.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if the system has no random bytes or no memory.
    init(_ environment: VaultEnvironment) throws(VaultError) {
        var seed = try environment.random(CircleSuite.seedLength)
        try self.init(wiping: &seed)
    }

    /// Copies a seed, 32 bytes, and wipes the caller's copy of it.
    ///
    /// - Throws: ``VaultError`` with `damaged` for another length, or `unavailable` if there is no memory.
    init(wiping seed: inout [UInt8]) throws(VaultError) {
        pair = try HPKEKeyPair(Self.suite, wiping: &seed)
    }

    /// The public key, 1,216 bytes.
    var publicKey: [UInt8] { pair.publicKey }

    /// The public half as other devices need it to seal something for this device.
    func recipient(_ device: DeviceID) -> CircleRecipient { pair.recipient(device.bytes) }

    /// The text that is shown instead of the keys.
    var description: String { "DeviceKeys" }
    /// A mirror without the secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}
