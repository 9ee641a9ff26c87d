public import WardWebAuthn

/// What could be read of a damaged vault.
public struct Salvage: Hashable, Sendable {
    /// The items, each in the latest state that can be read.
    public internal(set) var items: [Item] = []
    /// Those of them whose latest state cannot be read, so that an older one is given.
    public internal(set) var outdated: [ItemID] = []
    /// Items of which no state can be read.
    public internal(set) var lost: [ItemID] = []
    /// What lost items were called, as far as this device's index knows.
    public internal(set) var lostTitles: [ItemID: String] = [:]
    /// The names of attachments whose content cannot be read; the items are given without them.
    public internal(set) var lostAttachments: [ItemID: [String]] = [:]
    /// How many entries of the log cannot be read, or are missing between others.
    public internal(set) var damagedEntries = 0
}

extension Vault {
    /// Reads whatever can be read when the vault does not unlock because the file is damaged.
    ///
    /// Changes nothing, and leaves the vault locked. What is returned was sealed with the vault's key, so nobody else made it up;
    /// but that it is the latest, or all, nobody can promise of a damaged file. Put the items into a new vault.
    ///
    /// - Parameter passphrase: The vault's passphrase.
    /// - Returns: What was found, in memory as a whole.
    /// - Throws: ``VaultError`` as ``unlock(with:trusting:)``, but not for damage behind the header.
    public func salvage(with passphrase: Passphrase) async throws(VaultError) -> Salvage {
        defer { releaseIfLocked() }
        let keys = try await keys(of: passphrase)
        _ = try lockingCount()
        var salvager = Salvager(database, id, keys, index: IndexFile.read(location.index, id, keys))
        return salvager.run()
    }

    /// Reads whatever can be read, with the key on paper.
    ///
    /// - Parameters:
    ///   - recoveryKey: The vault's recovery key.
    ///   - acceptsUnproven: Whether a vault from before there were proofs is taken, because a person knows it for theirs.
    /// - Returns: What was found, in memory as a whole.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `forgedVault`, `unprovenVault`, `damaged` or `closed`.
    public func salvage(
        with recoveryKey: RecoveryKey,
        acceptingUnproven acceptsUnproven: Bool = false
    ) throws(VaultError) -> Salvage {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        let keys = try header.open(recoveryKey)
        guard isProven || acceptsUnproven else { throw Self.unproven }
        var salvager = Salvager(database, id, keys, index: IndexFile.read(location.index, id, keys))
        return salvager.run()
    }

    /// Makes a vault with the items that were saved from a damaged one, with their times, and in the trash where they were.
    ///
    /// The new vault has keys of its own, so passphrase, Secret Key and recovery key of the damaged one open nothing in it, unless
    /// the passphrase is the same. Everything that was written is read again before this returns.
    ///
    /// - Parameters:
    ///   - location: A place without a vault.
    ///   - passphrase: What will open the new vault.
    ///   - salvage: What was saved.
    ///   - effects: Time and randomness.
    /// - Returns: The new vault, unlocked, and its recovery key.
    /// - Throws: ``VaultError`` as ``create(at:passphrase:effects:)``, or `damaged` when the new file does not hold what was written.
    public static func create(
        at location: VaultLocation,
        passphrase: Passphrase,
        holding salvage: Salvage,
        effects: Effects = .live
    ) async throws(VaultError) -> (vault: Vault, recoveryKey: RecoveryKey) {
        let made = try await create(at: location, passphrase: passphrase, effects: effects)
        try await made.vault.adopt(salvage.items)
        return made
    }

    private func adopt(_ items: [Item]) throws(VaultError) {
        try translated { try write { transaction in for item in items { try transaction.adopt(item) } } }
        guard try verifyLog().revisions == items.count else {
            throw VaultError(.damaged, "The new file does not hold what was written to it")
        }
    }
}
