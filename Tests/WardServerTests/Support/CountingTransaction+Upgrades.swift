import WardAccounts

extension CountingTransaction {
    func countUpgrade(_ kind: UpgradeCount.Kind, on day: Int64) async throws {
        try await noting { try await base.countUpgrade(kind, on: day) }
    }
    func upgradeCounts(since day: Int64) async throws -> [UpgradeCount] {
        try await noting { try await base.upgradeCounts(since: day) }
    }
    func deleteUpgradeCounts(before day: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteUpgradeCounts(before: day, limit: limit) }
    }
    func offer(to account: AccountID) async throws -> OfferRecord? {
        try await noting { try await base.offer(to: account) }
    }
    func setOffer(_ offer: OfferRecord) async throws { try await noting { try await base.setOffer(offer) } }
    func touchPassword(of account: AccountID, lastUsedAt: Int64) async throws -> Bool {
        try await noting { try await base.touchPassword(of: account, lastUsedAt: lastUsedAt) }
    }
    func unusedPasswordCount(since time: Int64) async throws -> Int {
        try await noting { try await base.unusedPasswordCount(since: time) }
    }
    func hasUnusedPassword(_ account: AccountID, since time: Int64) async throws -> Bool {
        try await noting { try await base.hasUnusedPassword(account, since: time) }
    }
}
