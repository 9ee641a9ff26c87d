internal import Crypto
internal import WardLog
internal import WardWebAuthn

/// The recovery key: 160 random bits on paper.
///
/// It opens the vault if the passphrase or the devices are lost.
///
/// It is shown once, when it is created. The vault stores only its public key.
public struct RecoveryKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    private static let form = KeyText(context: "ward/v1/recovery-key", length: 20, characters: 36, group: 4)

    /// Creates a random key.
    init(effects: Effects) throws(VaultError) { bytes = try Self.form.drawn(effects) }

    /// Reads a typed key.
    ///
    /// Case, spaces and hyphens do not matter.
    ///
    /// - Throws: ``KeyTextError`` that says what is wrong with the text.
    public init(text: String) throws(KeyTextError) { bytes = try Self.form.read(text) }

    /// Whether a text is written like a recovery key, also if there is a mistake in it.
    package static func looksLikeKey(_ text: String) -> Bool { form.looksAlike(text) }

    /// Nine groups of four letters and digits; the last group is the checksum.
    public var text: String { Self.form.text(bytes.copy) }

    /// The text that is shown instead of the key.
    public var description: String { "RecoveryKey" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The X25519 keys to which the vault's keys are encrypted, in a vault without a circle.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory.
    func envelopePair() throws(VaultError) -> HPKEKeyPair {
        var seed = bytes.symmetricKey.derive("ward/v1/recovery/x25519", salt: [], context: []).copy
        return try HPKEKeyPair(.x25519, wiping: &seed)
    }

    /// The proof that a person with the recovery key created the vault and its first key.
    ///
    /// It is needed because the encryption to the public key requires no secret.
    func proof(of vault: VaultID, _ keys: VaultKeys) throws(VaultError) -> [UInt8] {
        let commitment = try keys.first.derive("ward/v1/recovery/commitment", salt: vault.bytes, context: []).published
        let key = bytes.symmetricKey.derive("ward/v1/recovery/proof", salt: vault.bytes, context: [])
        return Array(HMAC<SHA256>.authenticationCode(for: vault.bytes + commitment, using: key))
    }

    /// The encryption to a recovery key: HPKE in base mode (RFC 9180).
    static var suite: HPKE.Ciphersuite {
        HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    }

    /// The context that binds an encrypted vault key to its vault.
    static func info(_ vault: VaultID) -> [UInt8] { Array("ward/v1/recovery".utf8) + [0] + vault.bytes }
}
