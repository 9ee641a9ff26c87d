internal import WardCBOR
internal import WardLog
internal import WardText

/// The owner key of a circle: an Ed25519 key that only the passphrase or a recovery key opens.
///
/// It signs what changes the circle. It is sealed in the header and is never stored in another way. So a device that is
/// stolen while it is unlocked cannot admit or remove devices. `Documentation/formats/sync.md`, "Owner key".
struct OwnerKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let seed: SigningSeed

    private static let seedLength = 32

    /// Creates a random key.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if the system has no random bytes or no memory.
    init(_ environment: VaultEnvironment) throws(VaultError) {
        var bytes = try environment.random(Self.seedLength)
        seed = try SigningSeed(wiping: &bytes)
    }

    /// The public half, 32 bytes.
    var publicKey: [UInt8] { seed.publicKey }

    /// The text that is shown instead of the key.
    var description: String { "OwnerKey" }
    /// A mirror without the secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: Signing

extension OwnerKey {
    /// The key as it signs entries.
    var signer: ApprovalSigner<VaultError> { ApprovalSigner(publicKey: publicKey, sign: seed.sign) }
}

// MARK: Sealing

extension OwnerKey {
    /// The length of the key, sealed with the passphrase, in bytes.
    static let sealedLength = seedLength + Sealing.overhead

    /// Seals the key with the passphrase and the Secret Key.
    ///
    /// - Throws: ``VaultError`` with `unavailable`.
    func sealed(
        with unlock: VaultHeader.UnlockKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        var plaintext = seed.bytes
        defer { plaintext.wipe() }
        return try Sealing.seal(
            plaintext,
            key: unlock.owner,
            nonce: environment.random(Sealing.nonceLength),
            associated: Self.associated(publicKey, unlock)
        )
    }

    /// Opens a key that was sealed with the passphrase and the Secret Key.
    ///
    /// The caller compares the passphrase's commitment first, so this error does not mean a wrong passphrase.
    ///
    /// - Parameters:
    ///   - sealed: The result of ``sealed(with:_:)``.
    ///   - publicKey: The owner key that the log names, 32 bytes.
    ///   - unlock: The keys of the passphrase and the Secret Key.
    /// - Throws: ``VaultError`` with `damaged` if a byte was changed, or if it is another key or of another vault.
    init(
        _ sealed: [UInt8],
        publicKey: [UInt8],
        with unlock: VaultHeader.UnlockKeys
    ) throws(VaultError) {
        guard sealed.count == Self.sealedLength,
            var opened = Sealing.open(sealed, key: unlock.owner, associated: Self.associated(publicKey, unlock))
        else { throw Self.damaged }
        var bytes = opened.takeBytes()
        try self.init(wiping: &bytes, publicKey: publicKey)
    }

    /// Seals the key to a recovery key.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` unless the recovery key has suite 2, with `damaged` if its public
    ///   key is malformed, or with `unavailable`.
    func sealed(to recovery: CircleRecipient, vault: VaultID) throws(VaultError) -> CircleSealedKey {
        guard recovery.suite == Self.suite.rawValue else { throw Self.unknownSuite(recovery.suite) }
        var plaintext = seed.bytes
        defer { plaintext.wipe() }
        let sealed = try Self.suite.seal(
            plaintext,
            to: recovery.publicKey,
            info: Self.info(vault, publicKey, recovery.id)
        )
        return CircleSealedKey(
            recipient: recovery.id,
            suite: Self.suite.rawValue,
            encapsulation: sealed.encapsulation,
            ciphertext: sealed.ciphertext
        )
    }

    /// Opens a key that was sealed to a recovery key.
    ///
    /// - Parameters:
    ///   - sealed: The result of ``sealed(to:vault:)``.
    ///   - publicKey: The owner key that the log names, 32 bytes.
    ///   - recoveryKey: The recovery key that a person typed.
    ///   - vault: The vault of the owner key.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey` if the key is sealed to another recovery key, with
    ///   `unknownVersion` unless the suite is 2, with `damaged` if a byte was changed or if it is another key or of
    ///   another vault, or with `unavailable`.
    init(
        _ sealed: CircleSealedKey,
        publicKey: [UInt8],
        with recoveryKey: RecoveryKey,
        vault: VaultID
    ) throws(VaultError) {
        let recipient = try recoveryKey.signingSeed().publicKey
        guard isEqualInConstantTime(sealed.recipient, recipient) else {
            throw VaultError(.wrongRecoveryKey, "This recovery key belongs to another vault, or was replaced")
        }
        guard sealed.suite == Self.suite.rawValue else { throw Self.unknownSuite(sealed.suite) }
        let pair = try recoveryKey.keyPair()
        guard var bytes = pair.open(sealed, info: Self.info(vault, publicKey, recipient)) else { throw Self.damaged }
        try self.init(wiping: &bytes, publicKey: publicKey)
    }

    /// Takes an opened seed, if it is that of the expected key.
    ///
    /// What is sealed to a public key can come from anybody. So the log says which key it must be.
    private init(wiping bytes: inout [UInt8], publicKey: [UInt8]) throws(VaultError) {
        seed = try SigningSeed(wiping: &bytes)
        guard isEqualInConstantTime(seed.publicKey, publicKey) else { throw Self.damaged }
    }

    private static let suite = CircleSuite.xWing

    private static func associated(_ publicKey: [UInt8], _ unlock: VaultHeader.UnlockKeys) -> [UInt8] {
        let value: CBORValue = [
            "ward", 1, "owner", .bytes(unlock.vault.bytes), .bytes(publicKey), unlock.derivation.cbor,
        ]
        return value.encoded()
    }

    /// HPKE's `info`, which binds the key to one vault and recovery key.
    private static func info(_ vault: VaultID, _ publicKey: [UInt8], _ recipient: [UInt8]) -> [UInt8] {
        let value: CBORValue = [
            "ward", 1, "owner-key", .bytes(vault.bytes), .bytes(publicKey), .bytes(recipient),
        ]
        return value.encoded()
    }

    private static func unknownSuite(_ suite: UInt64) -> VaultError {
        VaultError(.unknownVersion, "A later version of Ward sealed the owner key (suite \(suite)): update Ward")
    }

    private static var damaged: VaultError { VaultError(.damaged, "The vault's sealed owner key is damaged") }
}
