public import WardWebAuthn

/// The readable data of a damaged vault.
public struct Salvage: Hashable, Sendable {
    /// The items, each in its latest readable revision.
    public internal(set) var items: [Item] = []
    /// Items whose latest revision cannot be read, so that an older one is returned.
    public internal(set) var outdated: [ItemID] = []
    /// Items without a readable revision.
    public internal(set) var lost: [ItemID] = []
    /// The titles of lost items, if this device's index has them.
    public internal(set) var lostTitles: [ItemID: String] = [:]
    /// The names of attachments whose content cannot be read.
    ///
    /// The items are returned without them.
    public internal(set) var lostAttachments: [ItemID: [String]] = [:]
    /// Items whose newest revisions together are too large for an item.
    ///
    /// They are returned without the values of other devices that the item does not show.
    public internal(set) var withoutConflicts: [ItemID] = []
    /// The number of log entries that cannot be read, or that are missing between others.
    public internal(set) var damagedEntries = 0
}

extension Vault {
    /// Reads all readable data, if the vault cannot be unlocked because its file is damaged.
    ///
    /// It changes nothing, and the vault stays locked. The returned data was encrypted with the vault's key, so another person
    /// cannot have written it. But it need not be the latest data, or all of it. Put the items into a new vault.
    ///
    /// - Parameter passphrase: The vault's passphrase.
    /// - Returns: What was found, in memory as a whole.
    /// - Throws: ``VaultError`` as ``unlock(with:trusting:)``, but not for damage behind the header.
    public func salvage(with passphrase: Passphrase) async throws(VaultError) -> Salvage {
        defer { releaseIfLocked() }
        let keys = try await opening(with: passphrase).keys
        _ = try lockingCount()
        var salvager = Salvager(database, id, keys, index: IndexFile.read(location.index, id, keys))
        return salvager.run()
    }

    /// Reads all readable data of a damaged vault, with the recovery key.
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
        let keys = try opened(with: recoveryKey, skippingDamage: true).keys
        guard isProven || acceptsUnproven else { throw Self.unproven }
        var salvager = Salvager(database, id, keys, index: IndexFile.read(location.index, id, keys))
        return salvager.run()
    }

    /// Creates a vault with the items that were saved from a damaged one.
    ///
    /// Their times stay, and items in the trash stay there.
    ///
    /// The new vault has new keys. So the Secret Key and the recovery key of the damaged vault do not open it, and its
    /// passphrase only if it is the same. All written data is read again before this call returns.
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
            throw VaultError(.damaged, "The new vault's file does not contain what was written to it")
        }
    }
}
