/// A vault key, sealed to one device or one recovery key.
package struct CircleSealedKey: Hashable, Sendable {
    /// The device's ID (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    package var recipient: [UInt8]
    /// The number of the suite; see `Documentation/formats/sync.md`, "Sealed keys".
    package var suite: UInt64
    package var encapsulation: [UInt8]
    package var ciphertext: [UInt8]

    package init(recipient: [UInt8], suite: UInt64, encapsulation: [UInt8], ciphertext: [UInt8]) {
        self.recipient = recipient
        self.suite = suite
        self.encapsulation = encapsulation
        self.ciphertext = ciphertext
    }
}
