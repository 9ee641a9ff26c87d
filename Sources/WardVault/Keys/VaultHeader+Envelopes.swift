internal import Crypto
internal import WardCBOR
internal import WardLog
internal import WardText

/// The envelopes: the vault's keys, encrypted with the person's secrets.
///
/// `Documentation/formats/vault.md`, "Envelopes".
extension VaultHeader {
    /// The keys that are derived from passphrase and Secret Key together.
    struct UnlockKeys {
        let wrapping: SymmetricKey
        let commitment: [UInt8]
        let vault: VaultID
        let derivation: KeyDerivation
        private let key: SymmetricKey

        /// The key that seals the owner key of a circle.
        ///
        /// It is derived when it is needed.
        var owner: SymmetricKey {
            key.derive("ward/v1/unlock/owner", salt: vault.bytes, context: derivation.cbor.encoded())
        }

        /// The key that authenticates the reply to a new device.
        ///
        /// It is derived when it is needed.
        var pairing: SymmetricKey {
            key.derive("ward/v1/unlock/pairing", salt: vault.bytes, context: derivation.cbor.encoded())
        }

        /// Derives keys from Argon2id's result and the Secret Key, bound to the vault and the cost.
        init(_ stretched: LockedBytes, _ secretKey: SecretKey, _ vault: VaultID, _ derivation: KeyDerivation) {
            var first = stretched.copy
            defer { first.wipe() }
            var second = secretKey.bytes.copy
            defer { second.wipe() }
            var material = first + second
            defer { material.wipe() }
            key = SymmetricKey(data: material)
            self.vault = vault
            self.derivation = derivation
            let context = derivation.cbor.encoded()
            wrapping = key.derive("ward/v1/unlock/wrap", salt: vault.bytes, context: context)
            commitment = key.derive("ward/v1/unlock/commitment", salt: vault.bytes, context: context).published
        }
    }

    /// Sixteen bytes that identify a vault's Secret Key.
    static func check(of secretKey: SecretKey, _ vault: VaultID) -> [UInt8] {
        secretKey.bytes.symmetricKey.derive("ward/v1/secret-key/check", salt: vault.bytes, context: [], count: 16)
            .published
    }

    /// Encrypts the keys with a passphrase.
    ///
    /// - Returns: The keys of the passphrase, which also seal owner keys.
    @discardableResult
    mutating func seal(
        _ keys: VaultKeys,
        to passphrase: Passphrase,
        _ secretKey: SecretKey,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> UnlockKeys {
        derivation = KeyDerivation(salt: try environment.random(KeyDerivation.saltLength))
        let stretched = try environment.stretch(passphrase, derivation)
        let unlock = UnlockKeys(stretched, secretKey, vaultID, derivation)
        secretKeyCheck = Self.check(of: secretKey, vaultID)
        passphraseCommitment = unlock.commitment
        var bundle = keys.bundle()
        defer { bundle.wipe() }
        passphraseEnvelope = try Sealing.seal(
            bundle,
            key: unlock.wrapping,
            nonce: environment.random(Sealing.nonceLength),
            associated: passphraseAssociated
        )
        epoch = keys.epoch
        keyCommitment = try keys.commitment(vaultID)
        return unlock
    }

    /// The keys of a passphrase, if it is the right one.
    ///
    /// - Throws: ``VaultError`` with `wrongPassphrase`.
    func unlockKeys(_ stretched: LockedBytes, _ secretKey: SecretKey) throws(VaultError) -> UnlockKeys {
        let unlock = UnlockKeys(stretched, secretKey, vaultID, derivation)
        guard isEqualInConstantTime(unlock.commitment, passphraseCommitment) else {
            throw VaultError(.wrongPassphrase, "Wrong passphrase")
        }
        return unlock
    }

    /// Opens the envelope of the passphrase.
    ///
    /// - Throws: ``VaultError`` with `damaged`; the passphrase is right.
    func open(_ unlock: UnlockKeys) throws(VaultError) -> VaultKeys {
        guard
            var opened = Sealing.open(
                passphraseEnvelope,
                key: unlock.wrapping,
                associated: passphraseAssociated
            )
        else { throw VaultError(.damaged, "The vault's keys, encrypted with the passphrase, are damaged") }
        var bundle = opened.takeBytes()
        defer { bundle.wipe() }
        return try VaultKeys(bundle: bundle, current: keyName)
    }

    private var passphraseAssociated: [UInt8] {
        CBORValue.array(["ward", .unsigned(Self.version), "passphrase", .bytes(vaultID.bytes), derivation.cbor])
            .encoded()
    }

    /// Encrypts the keys to a recovery key, and writes the proof for a person who has it.
    mutating func seal(_ keys: VaultKeys, to recoveryKey: RecoveryKey) throws(VaultError) {
        recoveryPublicKey = try recoveryKey.envelopePair().publicKey
        var bundle = keys.bundle()
        defer { bundle.wipe() }
        (recoveryEncapsulation, recoveryEnvelope) = try CircleSuite.x25519.seal(
            bundle,
            to: recoveryPublicKey,
            info: RecoveryKey.info(vaultID)
        )
        recoveryProof = try recoveryKey.proof(of: vaultID, keys)
    }

    /// Whether this is the vault's recovery key.
    func isSealed(to recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        if let circle {
            let own = try recoveryKey.signingSeed().publicKey
            return circle.recovery.contains { isEqualInConstantTime(own, $0.publicKey) }
        }
        return try isEqualInConstantTime(recoveryKey.envelopePair().publicKey, recoveryPublicKey)
    }

    /// Opens the envelope of the recovery key.
    ///
    /// Every person with the public key can encrypt other keys to it. So the proof is checked if there is one.
    ///
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, with `forgedVault` if the proof is not from this key, or with
    ///   `damaged` if the key is right and the envelope is damaged.
    func open(_ recoveryKey: RecoveryKey) throws(VaultError) -> VaultKeys {
        guard try isSealed(to: recoveryKey) else {
            throw VaultError(.wrongRecoveryKey, "This recovery key belongs to another vault, or was replaced")
        }
        let sealed = CircleSealedKey(
            recipient: [],
            suite: CircleSuite.x25519.rawValue,
            encapsulation: recoveryEncapsulation,
            ciphertext: recoveryEnvelope
        )
        guard var bundle = try recoveryKey.envelopePair().open(sealed, info: RecoveryKey.info(vaultID)),
            let keys = try? VaultKeys(bundle: bundle, current: keyName)
        else { throw VaultError(.damaged, "The vault's keys, encrypted with the recovery key, are damaged") }
        defer { bundle.wipe() }
        if let recoveryProof {
            guard isEqualInConstantTime(try recoveryKey.proof(of: vaultID, keys), recoveryProof) else {
                throw VaultError(
                    .forgedVault,
                    "This vault was made for your recovery key by a person who does not have that key"
                )
            }
        }
        return keys
    }
}
