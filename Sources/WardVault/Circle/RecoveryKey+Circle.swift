internal import Crypto
internal import WardLog
internal import WardText

/// What a recovery key is for in a circle: it signs, opens what is sealed to it, and proves which circle it belongs to.
///
/// `Documentation/formats/sync.md`, "Recovery keys".
extension RecoveryKey {
    /// The Ed25519 half.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func signingSeed() throws(VaultError) -> SigningSeed {
        var seed = bytes.symmetricKey.derive("ward/v1/recovery/ed25519", salt: [], context: []).copy
        return try SigningSeed(wiping: &seed)
    }

    /// The X-Wing half.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func keyPair() throws(VaultError) -> HPKEKeyPair {
        var seed = bytes.symmetricKey.derive("ward/v1/recovery/xwing", salt: [], context: []).copy
        return try HPKEKeyPair(.xWing, wiping: &seed)
    }

    /// The public halves, which the log names; the ID is the Ed25519 key.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func recipient() throws(VaultError) -> CircleRecipient {
        try keyPair().recipient(signingSeed().publicKey)
    }

    /// The key as it signs entries.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func signer() throws(VaultError) -> ApprovalSigner<VaultError> {
        let seed = try signingSeed()
        return ApprovalSigner(publicKey: seed.publicKey, sign: seed.sign)
    }

    /// The key as the log names it.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func logged(version: UInt64) throws(VaultError) -> CircleRecoveryKey {
        let recipient = try recipient()
        return CircleRecoveryKey(
            kind: Self.paper,
            version: version,
            publicKey: recipient.id,
            suite: recipient.suite,
            sealingKey: recipient.publicKey
        )
    }

    /// The kind of a recovery key on paper.
    static let paper: UInt64 = 1

    /// The proof that a circle belongs to this recovery key.
    ///
    /// A new device that has nothing but the recovery key gets everything else from a server. The server can seal keys
    /// of its own to the public half, but it cannot make this proof.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - circle: The hash of the entry that begins the circle, 32 bytes.
    /// - Returns: HMAC-SHA256, 32 bytes.
    func circleProof(vault: VaultID, circle: [UInt8]) -> [UInt8] {
        let key = bytes.symmetricKey.derive("ward/v1/recovery/circle", salt: vault.bytes, context: [])
        return Array(HMAC<SHA256>.authenticationCode(for: vault.bytes + circle, using: key))
    }

    /// Refuses a circle that a person without this recovery key made.
    ///
    /// - Parameters:
    ///   - proofs: The proofs that were stored with the circle. One of them must be right: only this recovery key makes it, and who
    ///     knows the passphrase can store others.
    ///   - vault: The vault.
    ///   - circle: The hash of the entry that begins the circle, 32 bytes.
    /// - Throws: ``VaultError`` with `forgedVault`.
    func check(circleProofs proofs: [[UInt8]], vault: VaultID, circle: [UInt8]) throws(VaultError) {
        let right = circleProof(vault: vault, circle: circle)
        guard proofs.contains(where: { isEqualInConstantTime(right, $0) }) else {
            throw VaultError(
                .forgedVault,
                "This circle of devices was made for your recovery key by a person who does not have that key"
            )
        }
    }
}
