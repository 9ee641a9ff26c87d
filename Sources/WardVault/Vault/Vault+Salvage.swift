/// What could be read of a damaged vault.
public struct Salvage: Hashable, Sendable {
    /// The items, each in the latest state that can be read.
    public internal(set) var items: [Item] = []
    /// Those of them whose latest state cannot be read, so that an older one is given.
    public internal(set) var outdated: [ItemID] = []
    /// Items of which no state can be read.
    public internal(set) var lost: [ItemID] = []
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
        var salvager = Salvager(database, id, keys)
        return salvager.run()
    }

    /// Reads whatever can be read, with the key on paper.
    ///
    /// - Parameter recoveryKey: The vault's recovery key.
    /// - Returns: What was found, in memory as a whole.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `damaged` or `closed`.
    public func salvage(with recoveryKey: RecoveryKey) throws(VaultError) -> Salvage {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        var salvager = Salvager(database, id, try header.open(recoveryKey))
        return salvager.run()
    }
}
