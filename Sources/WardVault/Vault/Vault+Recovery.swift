internal import WardLog

/// What a person compares with their memory before they take a vault that proves nothing.
public struct VaultOutline: Hashable, Sendable {
    /// Whether the holder of the recovery key made the vault; otherwise whoever made it had no more than the public half.
    public let isProven: Bool
    /// How many items there are, with those in the trash.
    public let items: Int
    /// When something was last written, in seconds since 1970, as the devices' clocks said.
    public let changedAt: Int64
}

extension Vault {
    /// Whether the vault's header has a proof for the holder of the recovery key.
    ///
    /// Vaults from before there were proofs get one when the recovery key is typed or replaced.
    public var isProven: Bool { header.recoveryProof != nil }

    /// What the vault amounts to, without unlocking it and without writing anything.
    ///
    /// Takes time in proportion to the log: about a tenth of a millisecond for each entry.
    ///
    /// - Parameter recoveryKey: What the person typed.
    /// - Returns: Number of items, last change, and whether the vault proves that it belongs to this key.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `forgedVault`, `damaged`, `unknownVersion` or `closed`.
    public func outline(with recoveryKey: RecoveryKey) throws(VaultError) -> VaultOutline {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        let keys = try header.open(recoveryKey)
        try header.check(keys, encoded: encodedHeader)
        let log = try LogReader(database: database, vault: id, keys: keys, trusted: nil).read()
        return VaultOutline(isProven: isProven, items: log.heads.count, changedAt: log.chain.time.seconds)
    }

    /// Unlocks the vault with the key on paper, and sets a new passphrase.
    ///
    /// Where the Secret Key is missing, or is another vault's, a new one is made, which other devices then need too.
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
        let keys = try header.open(recoveryKey)
        guard isProven || acceptsUnproven else { throw Self.unproven }
        let open: OpenVault
        if let unlocked { open = unlocked } else { open = try self.open(keys, trust) }
        let secretKey: SecretKey
        if let found = try findSecretKey() {
            secretKey = found
        } else {
            secretKey = try SecretKey(effects: environment.effects)
            try SecretKeyFile.write(secretKey, to: location.pendingSecretKey, environment)
        }
        var next = header
        next.recoveryProof = try recoveryKey.proof(of: id, keys)
        try seal(next, open, to: passphrase, secretKey)
        try promoteSecretKey()
        if isLocked { try install(open, since: count) }
    }

    /// Whether a key on paper is the vault's: what a person types back after having written it down.
    ///
    /// Answers also while the vault is locked.
    public func isRecoveryKey(_ recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        defer { releaseIfLocked() }
        try refreshHeader()
        return try header.isSealed(to: recoveryKey)
    }

    /// Checks a key on paper, as ``isRecoveryKey(_:)`` does; an unlocked vault from before there were proofs gets one.
    ///
    /// - Returns: Whether the key is the vault's.
    /// - Throws: ``VaultError`` with `forgedVault`, `damaged`, `closed`, `diskFull` or `unavailable`.
    public func confirm(_ recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        guard try header.isSealed(to: recoveryKey) else { return false }
        _ = try header.open(recoveryKey)
        guard !isProven, let open = unlocked else { return true }
        var next = header
        next.recoveryProof = try recoveryKey.proof(of: id, open.keys)
        try replaceHeader(next, open)
        return true
    }

    /// Makes another recovery key; the one before opens nothing more.
    ///
    /// - Throws: ``VaultError`` with `locked`, `diskFull` or `unavailable`; the old key then stays.
    public func replaceRecoveryKey() throws(VaultError) -> RecoveryKey {
        let open = try open()
        let recoveryKey = try RecoveryKey(effects: environment.effects)
        var next = header
        try next.seal(open.keys, to: recoveryKey)
        try replaceHeader(next, open)
        return recoveryKey
    }

    static var unproven: VaultError {
        VaultError(
            .unprovenVault,
            "Nothing proves that this vault is yours. An early version made it, or somebody else"
        )
    }
}
