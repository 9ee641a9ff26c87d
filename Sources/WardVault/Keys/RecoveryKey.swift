internal import Crypto
internal import Foundation
internal import WardWebAuthn

/// The key on paper: 160 random bits that open the vault when passphrase or devices are lost.
///
/// Shown once, when it is made; the vault keeps its public half alone.
public struct RecoveryKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    private static let form = KeyText(context: "ward/v1/recovery-key", length: 20, characters: 36, group: 4)

    /// Draws a new one.
    init(effects: Effects) throws(VaultError) { bytes = try Self.form.drawn(effects) }

    /// Reads what a person typed, forgiving case, spaces and hyphens.
    ///
    /// - Throws: ``KeyTextError`` saying what is wrong with the text.
    public init(text: String) throws(KeyTextError) { bytes = try Self.form.read(text) }

    /// Nine groups of four letters and digits, the last of which is the checksum.
    public var text: String { Self.form.text(bytes.copy) }

    /// Nothing of the key.
    public var description: String { "RecoveryKey" }
    /// Shows nothing to whoever dumps the value.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The X25519 key that vault keys are sealed to.
    func privateKey() throws(VaultError) -> Curve25519.KeyAgreement.PrivateKey {
        let seed = bytes.symmetricKey.derive("ward/v1/recovery/x25519", salt: [], context: [])
        do {
            return try unsafe seed.withUnsafeBytes { bytes in
                unsafe try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(bytes))
            }
        } catch {
            throw VaultError(.unavailable, "the recovery key makes no X25519 key")
        }
    }

    /// What tells this key's holder that a vault, and its first key, are theirs: sealing to the public half needs no secret.
    func proof(of vault: VaultID, _ keys: VaultKeys) throws(VaultError) -> [UInt8] {
        let commitment = try keys.key(0).derive("ward/v1/recovery/commitment", salt: vault.bytes, context: []).published
        let key = bytes.symmetricKey.derive("ward/v1/recovery/proof", salt: vault.bytes, context: [])
        return Array(HMAC<SHA256>.authenticationCode(for: vault.bytes + commitment, using: key))
    }

    /// How vault keys are sealed to a recovery key: HPKE in base mode (RFC 9180).
    static var suite: HPKE.Ciphersuite {
        HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    }

    /// What binds a sealed vault key to its vault.
    static func info(_ vault: VaultID) -> Data { Data(Array("ward/v1/recovery".utf8) + [0] + vault.bytes) }
}
