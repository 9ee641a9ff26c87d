internal import WardLog

/// Facts about a vault without a proof.
///
/// The person compares them with their memory before they accept the vault.
public struct VaultOutline: Hashable, Sendable {
    /// Whether a person with the recovery key created the vault.
    ///
    /// If not, the creator may have had only the public key.
    public let isProven: Bool
    /// The number of items, including the trash.
    public let items: Int
    /// The time of the last write, in seconds since 1970, by the clocks of the devices.
    public let changedAt: Int64
}

extension Vault {
    /// Whether the vault has a proof for a person with the recovery key.
    ///
    /// Vaults from before proofs existed get one when the recovery key is typed or replaced. A circle always has one in its log.
    public var isProven: Bool { header.recoveryProof != nil || header.circle != nil }

    /// Returns facts about the vault.
    ///
    /// The vault stays locked, and nothing is written.
    ///
    /// The time is proportional to the log: about a tenth of a millisecond per entry.
    ///
    /// - Parameter recoveryKey: What the person typed.
    /// - Returns: Number of items, last change, and whether the vault proves that it belongs to this key.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `forgedVault`, `damaged`, `unknownVersion` or `closed`.
    public func outline(with recoveryKey: RecoveryKey) throws(VaultError) -> VaultOutline {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        let opened = try opened(with: recoveryKey)
        let keys = opened.keys
        try header.check(keys, encoded: encodedHeader)
        let log = try LogReader(
            database: database,
            vault: id,
            keys: keys,
            trusted: nil,
            circle: opened.circle
        ).read()
        return VaultOutline(isProven: isProven, items: log.heads.count, changedAt: log.chain.time.seconds)
    }

    /// Unlocks the vault with the recovery key, and sets a new passphrase.
    ///
    /// If the Secret Key is missing or belongs to another vault, a new one is created. Other devices then need the new one too.
    ///
    /// - Parameters:
    ///   - recoveryKey: What the person typed.
    ///   - passphrase: The new passphrase; the old one opens the vault no more.
    ///   - trust: Whether a file other than the one this device saw last is taken.
    ///   - acceptsUnproven: Whether a vault from before there were proofs is taken, after a person looked at its ``outline(with:)``
    ///     and knows it for theirs. It has a proof afterwards.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `forgedVault`, `unprovenVault`, or as ``unlock(with:trusting:)``.
    public func recover(
        with recoveryKey: RecoveryKey,
        newPassphrase passphrase: Passphrase,
        trusting trust: Trust = .known,
        acceptingUnproven acceptsUnproven: Bool = false
    ) async throws(VaultError) {
        let count = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        try header.derivation.check()
        let opened = try opened(with: recoveryKey)
        guard isProven || acceptsUnproven else { throw Self.unproven }
        let open: OpenVault
        if let unlocked { open = unlocked } else { open = try self.open(OpenVault.Opening(keys: opened.keys), trust) }
        if open.chain.circle != nil {
            try open.learn(opened.keys)
            let before = open.device.device
            try recoverInCircle(open, recoveryKey, passphrase)
            formerDevice = open.device.device == before ? nil : before
            if isLocked { try install(open, since: count) }
            return
        }
        let secretKey: SecretKey
        if let found = try findSecretKey() {
            secretKey = found
        } else {
            secretKey = try SecretKey(effects: environment.effects)
            try SecretKeyFile.write(secretKey, to: location.pendingSecretKey, environment)
        }
        var next = header
        next.recoveryProof = try recoveryKey.proof(of: id, opened.keys)
        try seal(next, open, to: passphrase, secretKey)
        try promoteSecretKey()
        if isLocked { try install(open, since: count) }
    }

    /// Whether a typed recovery key belongs to the vault.
    ///
    /// A person can check what they wrote on paper.
    ///
    /// It works even while the vault is locked.
    public func isRecoveryKey(_ recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        defer { releaseIfLocked() }
        try refreshHeader()
        return try sealedHeader(to: recoveryKey) != nil
    }

    /// Checks a recovery key like ``isRecoveryKey(_:)``.
    ///
    /// An unlocked vault without a proof gets one.
    ///
    /// - Returns: Whether the key is the vault's.
    /// - Throws: ``VaultError`` with `forgedVault`, `damaged`, `closed`, `diskFull` or `unavailable`.
    public func confirm(_ recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        guard try sealedHeader(to: recoveryKey) != nil else { return false }
        _ = try opened(with: recoveryKey)
        guard header.circle == nil, !isProven, let open = unlocked else { return true }
        var next = header
        next.recoveryProof = try recoveryKey.proof(of: id, open.keys)
        try replaceHeader(next, open)
        return true
    }

    /// Creates a new recovery key.
    ///
    /// The old one no longer opens the vault.
    ///
    /// - Parameter passphrase: The vault's passphrase. It is needed if the vault has a circle of devices.
    /// - Returns: The new key, to be shown once.
    /// - Throws: ``VaultError`` with `locked`, `passphraseNeeded`, `wrongPassphrase`, `notInCircle`, `diskFull` or `unavailable`;
    ///   the old key then stays.
    public func replaceRecoveryKey(_ passphrase: Passphrase? = nil) async throws(VaultError) -> RecoveryKey {
        let open = try open()
        if try open.isInCircle() {
            guard let passphrase else {
                throw VaultError(
                    .passphraseNeeded,
                    "This vault is on several devices, so a new recovery key needs the passphrase"
                )
            }
            return try await replaceCircleRecoveryKey(passphrase)
        }
        let recoveryKey = try RecoveryKey(effects: environment.effects)
        var next = header
        try next.seal(open.keys, to: recoveryKey)
        try replaceHeader(next, open)
        return recoveryKey
    }

    static var unproven: VaultError {
        VaultError(
            .unprovenVault,
            "It cannot be checked that this vault is yours: an early version of Ward made it, or another person"
        )
    }
}
