public import WardAccounts

extension SuspendingTransaction {
    /// Adds one to the count of a day.
    public func countUpgrade(_ kind: UpgradeCount.Kind, on day: Int64) async throws {
        try await afterwards { try base.countUpgrade(kind, on: day) }
    }

    /// The daily counts from a day on.
    public func upgradeCounts(since day: Int64) async throws -> [UpgradeCount] {
        try await afterwards { try base.upgradeCounts(since: day) }
    }

    /// Deletes old daily counts.
    @discardableResult
    public func deleteUpgradeCounts(before day: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteUpgradeCounts(before: day, limit: limit) }
    }

    /// The last offer to an account.
    public func offer(to account: AccountID) async throws -> OfferRecord? {
        try await afterwards { try base.offer(to: account) }
    }

    /// Stores the last offer to an account, in place of an earlier one.
    public func setOffer(_ offer: OfferRecord) async throws {
        try await afterwards { try base.setOffer(offer) }
    }

    /// Notes that an account's password was right in a sign-in.
    @discardableResult
    public func touchPassword(of account: AccountID, lastUsedAt: Int64) async throws -> Bool {
        try await afterwards { try base.touchPassword(of: account, lastUsedAt: lastUsedAt) }
    }

    /// The number of accounts whose password was neither used nor chosen since a time, but one of their passkeys was used.
    public func unusedPasswordCount(since time: Int64) async throws -> Int {
        try await afterwards { try base.unusedPasswordCount(since: time) }
    }

    /// Whether an account has a password that nobody uses.
    public func hasUnusedPassword(_ account: AccountID, since time: Int64) async throws -> Bool {
        try await afterwards { try base.hasUnusedPassword(account, since: time) }
    }
}
