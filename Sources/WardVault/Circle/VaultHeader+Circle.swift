internal import Crypto
internal import WardLog
internal import WardText

/// The header in a circle of devices.
///
/// `Documentation/formats/sync.md`, "The header".
extension VaultHeader {
    /// The recovery keys of a circle, for a new header.
    struct CircleRecovery {
        var keys: [CircleRecoveryKey]
        /// The proofs that are known, by the Ed25519 keys.
        var proofs: [[UInt8]: [UInt8]]

        /// Takes the keys and proofs that a circle has.
        init(_ keys: [CircleRecoveryKey], proofs: [[UInt8]: [UInt8]]) {
            self.keys = keys
            self.proofs = proofs
        }

        /// Takes the proofs of an earlier header.
        init(_ keys: [CircleRecoveryKey], from header: VaultHeader) {
            self.keys = keys
            let pairs = (header.circle?.recovery ?? []).compactMap { key in key.proof.map { (key.publicKey, $0) } }
            proofs = Dictionary(pairs) { first, _ in first }
        }
    }

    /// Encrypts the keys and the owner keys with a passphrase, and the owner keys to the recovery keys.
    ///
    /// - Throws: ``VaultError`` with `unavailable` or `damaged`.
    mutating func seal(
        _ keys: VaultKeys,
        owners: [OwnerKey],
        to passphrase: Passphrase,
        _ secretKey: SecretKey,
        _ recovery: CircleRecovery,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        let unlock = try seal(keys, to: passphrase, secretKey, environment)
        try sealOwners(owners, keys, secretKey, with: unlock, recovery, environment)
    }

    private mutating func sealOwners(
        _ owners: [OwnerKey],
        _ keys: VaultKeys,
        _ secretKey: SecretKey,
        with unlock: UnlockKeys,
        _ recovery: CircleRecovery,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        let owners = owners.sorted { $0.publicKey.lexicographicallyPrecedes($1.publicKey) }
        let recoveryKeys = recovery.keys.sorted { $0.publicKey.lexicographicallyPrecedes($1.publicKey) }
        let root = circle?.root
        circle = HeaderCircle(
            keyOwner: keys.current.owner ?? [],
            owners: try owners.map { (owner) throws(VaultError) in
                HeaderCircle.Owner(publicKey: owner.publicKey, sealed: try owner.sealed(with: unlock, environment))
            },
            keys: try HeaderCircle.sealed(keys, vaultID, environment),
            recovery: try recoveryKeys.map { (key) throws(VaultError) in
                var sealed: [HeaderCircle.SealedOwner] = []
                for owner in owners { if let one = try owner.sealed(to: key, vaultID) { sealed.append(one) } }
                return HeaderCircle.Recovery(
                    publicKey: key.publicKey,
                    owners: sealed,
                    proof: recovery.proofs[key.publicKey]
                )
            },
            secretKey: try HeaderCircle.sealed(secretKey, with: keys, vaultID, environment),
            root: root
        )
        (recoveryPublicKey, recoveryEncapsulation, recoveryEnvelope, recoveryProof) = ([], [], [], nil)
    }

    /// The owner keys that a passphrase opens.
    ///
    /// One that is damaged is left out: who knew the passphrase can have written it, and an earlier header has it too.
    ///
    /// - Throws: ``VaultError`` with `unavailable`.
    func owners(_ unlock: UnlockKeys) throws(VaultError) -> [OwnerKey] {
        try Self.intact(circle?.owners ?? []) { (owner) throws(VaultError) in
            try OwnerKey(owner.sealed, publicKey: owner.publicKey, with: unlock)
        }
    }

    /// The owner keys that a recovery key opens, without those that are damaged.
    ///
    /// - Throws: ``VaultError`` with `wrongRecoveryKey` or `unavailable`.
    func owners(_ recoveryKey: RecoveryKey) throws(VaultError) -> [OwnerKey] {
        try Self.intact(circleRecovery(recoveryKey)?.owners ?? []) { (owner) throws(VaultError) in
            try OwnerKey(owner.key, publicKey: owner.publicKey, with: recoveryKey, vault: vaultID)
        }
    }

    private static func intact<Sealed>(
        _ sealed: [Sealed],
        _ open: (Sealed) throws(VaultError) -> OwnerKey
    ) throws(VaultError) -> [OwnerKey] {
        var found: [OwnerKey] = []
        for one in sealed {
            do throws(VaultError) {
                found.append(try open(one))
            } catch {
                guard error.code == .damaged || error.code == .unknownVersion else { throw error }
            }
        }
        return found
    }

    /// What there is in the header for a recovery key; `nil` if there is nothing.
    func circleRecovery(_ recoveryKey: RecoveryKey) throws(VaultError) -> HeaderCircle.Recovery? {
        let own = try recoveryKey.signingSeed().publicKey
        return circle?.recovery.first { isEqualInConstantTime($0.publicKey, own) }
    }

    /// Whether the header names no other circle than this one.
    func belongs(to root: [UInt8]?) -> Bool { circle?.root == nil || circle?.root == root }

    /// Whether the header gives the vault to who has its vault key: all keys, of which this device compares the first and the current one,
    /// and the Secret Key.
    ///
    /// Otherwise who has the passphrase could make a header with which a recovery key opens nothing.
    func opens(with keys: VaultKeys) -> Bool {
        guard let circle else { return true }
        guard let current = keys.locked(keyName),
            let opened = try? circle.open(with: current, epoch: epoch, vault: vaultID),
            let secretKey = try? circle.openSecretKey(with: current, epoch: epoch, vault: vaultID),
            VaultHeader.check(of: secretKey, vaultID) == secretKeyCheck
        else { return false }
        return [VaultKeys.Name.first, keyName].allSatisfy { name in
            guard let own = keys.locked(name), let other = opened.locked(name) else { return false }
            return own.isEqual(to: other)
        }
    }

    /// Whether the header says of itself what the operation says that brings it: its generation, and the name of a key that it makes.
    ///
    /// Otherwise who has the passphrase could give it a generation after which no other one follows.
    func agrees(with operation: LogOperation) -> Bool {
        switch operation {
        case .header(let number, _): return generation == number
        case .circle(let record):
            guard let keys = record.keys else { return false }
            return generation == keys.header && keyName == VaultKeys.Name(epoch: keys.epoch, owner: keys.owner)
        case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: return false
        }
    }

    /// The generation of the next header.
    ///
    /// - Throws: ``VaultError`` with `damaged` if there is none.
    static func generation(after last: UInt64) throws(VaultError) -> UInt64 {
        guard last < .max else { throw largestNumber }
        return last + 1
    }

    static var largestNumber: VaultError { VaultError(.damaged, "The vault's header has the largest number there is") }

    /// The hash that an entry of the log names.
    static func hash(_ encoded: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: encoded)) }
}

extension OwnerKey {
    /// The key, sealed to a recovery key; `nil` if this version does not know the recovery key's suite.
    ///
    /// Otherwise one recovery key of a later version would keep the passphrase from being changed.
    fileprivate func sealed(
        to key: CircleRecoveryKey,
        _ vault: VaultID
    ) throws(VaultError) -> HeaderCircle.SealedOwner? {
        let recipient = CircleRecipient(id: key.publicKey, suite: key.suite, publicKey: key.sealingKey)
        do throws(VaultError) {
            return HeaderCircle.SealedOwner(publicKey: publicKey, key: try sealed(to: recipient, vault: vault))
        } catch {
            guard error.code == .unknownVersion || error.code == .damaged else { throw error }
            return nil
        }
    }
}
