internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// The vault's keys, encrypted to a key of this device.
///
/// With this key the vault opens without the passphrase.
///
/// The encryption is HPKE (RFC 9180) to a public key. The private key opens the vault without the passphrase, so it must be
/// protected, for example in a TPM behind a PIN. The encrypted keys are bound to the vault's passphrase: after the passphrase
/// changes, they no longer open the vault.
package struct DeviceSealedKeys: Hashable, Sendable {
    /// HPKE's encapsulated key, 32 bytes.
    package var encapsulated: [UInt8]
    /// The vault's keys, encrypted.
    package var ciphertext: [UInt8]

    /// Takes both parts.
    package init(encapsulated: [UInt8], ciphertext: [UInt8]) {
        self.encapsulated = encapsulated
        self.ciphertext = ciphertext
    }
}

extension Vault {
    /// The bytes of the vault's ID.
    ///
    /// They bind this device's data to the vault.
    package nonisolated var identity: [UInt8] { id.bytes }

    /// Encrypts the keys of the open vault to a public key.
    ///
    /// - Parameter publicKey: X25519, 32 bytes.
    /// - Returns: What ``unlock(_:privateKey:)`` takes.
    /// - Throws: ``VaultError`` with `locked`, `closed`, or `unavailable` if the bytes are not a public key.
    package func sealKeys(to publicKey: [UInt8]) throws(VaultError) -> DeviceSealedKeys {
        let open = try open()
        do {
            var sender = try HPKE.Sender(
                recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
                ciphersuite: RecoveryKey.suite,
                info: deviceInfo
            )
            var bundle = try open.keys.choosing(header.keyName).bundle()
            defer { bundle.wipe() }
            let ciphertext = [UInt8](try sender.seal(bundle))
            return DeviceSealedKeys(encapsulated: [UInt8](sender.encapsulatedKey), ciphertext: ciphertext)
        } catch {
            throw VaultError(.unavailable, "HPKE encryption failed")
        }
    }

    /// Unlocks the vault with the private key to which its keys were encrypted.
    ///
    /// - Parameters:
    ///   - sealed: What ``sealKeys(to:)`` answered.
    ///   - privateKey: X25519, 32 bytes; wiped afterwards.
    /// - Throws: ``VaultError`` with `wrongPassphrase` when the keys were sealed to another key or before the passphrase was
    ///   changed; else as `unlock(with:trusting:)`.
    package func unlock(_ sealed: DeviceSealedKeys, privateKey: inout [UInt8]) throws(VaultError) {
        defer { privateKey.wipe() }
        let count = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        guard isLocked else { return }
        let keys: VaultKeys
        do {
            var recipient = try HPKE.Recipient(
                privateKey: Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey),
                ciphersuite: RecoveryKey.suite,
                info: deviceInfo,
                encapsulatedKey: Data(sealed.encapsulated)
            )
            var opened = try recipient.open(Data(sealed.ciphertext))
            var bundle = opened.takeBytes()
            defer { bundle.wipe() }
            keys = try VaultKeys(bundle: bundle, current: header.keyName)
        } catch {
            throw VaultError(
                .wrongPassphrase,
                "This device's key no longer opens the vault: type the passphrase"
            )
        }
        try install(open(OpenVault.Opening(keys: keys), .known), since: count)
    }

    /// The context of the encrypted keys: the vault, and its current passphrase.
    private var deviceInfo: Data {
        Data(
            CBORValue.array([
                "ward", .unsigned(VaultHeader.version), "device-key", .bytes(id.bytes),
                .bytes(header.passphraseCommitment),
            ]).encoded()
        )
    }
}
