internal import WardLog
internal import WardWebAuthn

/// A new vault key and a new owner key for the members of a circle, with the header that belongs to them.
struct CircleKeyChange {
    /// What the entry names.
    let record: CircleKeysRecord
    /// The new owner key, which signs the entry too.
    let owner: OwnerKey
    /// The vault's keys with the new one as the current one.
    let keys: VaultKeys
    let header: VaultHeader
    let encodedHeader: [UInt8]

    /// What a change starts from.
    struct Basis {
        var vault: VaultID
        var keys: VaultKeys
        var header: VaultHeader
        /// The largest epoch and generation that the device knows.
        var epoch: UInt64
        var generation: UInt64
    }

    /// Makes the keys and the header.
    ///
    /// It takes a tenth of a second, for the passphrase.
    ///
    /// - Parameters:
    ///   - basis: What there is.
    ///   - devices: The members that get the new key.
    ///   - recovery: The recovery keys that get the new key.
    ///   - passphrase: What opens the new header.
    ///   - secretKey: The Secret Key that each member gets with the vault key.
    ///   - environment: Time and randomness.
    /// - Throws: ``VaultError`` with `unavailable` or `damaged`.
    init(
        _ basis: Basis,
        for devices: [CircleDevice],
        _ recovery: VaultHeader.CircleRecovery,
        _ passphrase: Passphrase,
        _ secretKey: SecretKey,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        guard basis.epoch < .max else { throw VaultHeader.largestNumber }
        let owner = try OwnerKey(environment)
        let name = VaultKeys.Name(epoch: basis.epoch + 1, owner: owner.publicKey)
        let vaultKey = try VaultKeys.drawn(environment.effects.randomBytes)
        let keys = try basis.keys.adding(vaultKey, named: name).choosing(name)
        var header = basis.header
        header.generation = try VaultHeader.generation(after: basis.generation)
        try header.seal(keys, owners: [owner], to: passphrase, secretKey, recovery, environment)
        let encodedHeader = try header.encoded(keys)
        let recipients =
            devices.map { CircleRecipient(id: $0.id.bytes, suite: $0.suite, publicKey: $0.sealingKey) }
            + recovery.keys.map { CircleRecipient(id: $0.publicKey, suite: $0.suite, publicKey: $0.sealingKey) }
        let sealed = try CircleSecrets(vaultKey: vaultKey, secretKey: secretKey).sealed(
            toEachOf: recipients.sorted { $0.id.lexicographicallyPrecedes($1.id) },
            vault: basis.vault,
            epoch: name.epoch
        )
        self.owner = owner
        self.keys = keys
        self.header = header
        self.encodedHeader = encodedHeader
        record = CircleKeysRecord(
            epoch: name.epoch,
            owner: owner.publicKey,
            header: header.generation,
            headerHash: VaultHeader.hash(encodedHeader),
            sealed: sealed.keys
        )
    }
}
