internal import WardLog

/// A key pair of HPKE, with the private half in locked memory.
struct HPKEKeyPair: Sendable, CustomStringConvertible, CustomReflectable {
    let suite: CircleSuite
    /// The public half: 32 bytes for X25519, 1,216 bytes for X-Wing.
    let publicKey: [UInt8]
    private let seed: LockedBytes

    /// Copies the private half, 32 bytes, and wipes the caller's copy of it.
    ///
    /// - Throws: ``VaultError`` with `damaged` for another length, or `unavailable` if there is no memory.
    init(_ suite: CircleSuite, wiping bytes: inout [UInt8]) throws(VaultError) {
        defer { bytes.wipe() }
        publicKey = try suite.publicKey(of: bytes)
        seed = try LockedBytes(bytes)
        self.suite = suite
    }

    /// The private half.
    ///
    /// The caller must encrypt it at once, and wipe its copy.
    var bytes: [UInt8] { seed.copy }

    /// The public half as others need it to seal something for this key.
    ///
    /// The ID is a device's (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    func recipient(_ id: [UInt8]) -> CircleRecipient {
        CircleRecipient(id: id, suite: suite.rawValue, publicKey: publicKey)
    }

    /// Opens a message that was sealed to this key with this suite.
    ///
    /// It returns `nil` if it is not. The caller must wipe the result.
    func open(_ sealed: CircleSealedKey, info: [UInt8]) -> [UInt8]? {
        guard sealed.suite == suite.rawValue else { return nil }
        var copy = seed.copy
        defer { copy.wipe() }
        return suite.open(sealed.ciphertext, sealed.encapsulation, with: copy, info: info)
    }

    /// The text that is shown instead of the key.
    var description: String { "HPKEKeyPair" }
    /// A mirror without the secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A device or a recovery key for which something is sealed.
struct CircleRecipient: Hashable, Sendable {
    /// The device's ID (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    var id: [UInt8]
    /// The number of the suite, which a later version of Ward may have made.
    var suite: UInt64
    /// The public key of HPKE.
    var publicKey: [UInt8]
}
