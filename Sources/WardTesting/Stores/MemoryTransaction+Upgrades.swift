public import WardAccounts

extension MemoryTransaction {
    /// Adds one to the count of a day.
    public func countUpgrade(_ kind: UpgradeCount.Kind, on day: Int64) throws {
        try beginWriting(kind.rawValue)
        records.upgradeCounts[UpgradePlace(day, kind), default: 0] += 1
    }

    /// The daily counts from a day on.
    public func upgradeCounts(since day: Int64) throws -> [UpgradeCount] {
        records.upgradeCounts.filter { $0.key.day >= day }.sorted { first, second in
            guard first.key.day == second.key.day else { return first.key.day < second.key.day }
            return first.key.kind.lexicographicallyPrecedes(second.key.kind)
        }.map { place, count in
            let word = String(decoding: place.kind, as: UTF8.self)
            return UpgradeCount(day: place.day, kind: UpgradeCount.Kind(rawValue: word), count: count)
        }
    }

    /// Deletes old daily counts.
    @discardableResult
    public func deleteUpgradeCounts(before day: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let old = records.upgradeCounts.keys.filter { $0.day < day }.prefix(max(0, limit))
        for place in old { records.upgradeCounts[place] = nil }
        return old.count
    }

    /// The last offer to an account.
    public func offer(to account: AccountID) throws -> OfferRecord? { records.offers[account] }

    /// Stores the last offer to an account, in place of an earlier one.
    public func setOffer(_ offer: OfferRecord) throws {
        try beginWriting()
        guard records.accounts[offer.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.offers[offer.accountID] = offer
    }

    /// Notes that an account's password was right in a sign-in.
    @discardableResult
    public func touchPassword(of account: AccountID, lastUsedAt: Int64) throws -> Bool {
        try beginWriting()
        guard records.passwords[account] != nil else { return false }
        records.passwordUses[account] = max(records.passwordUses[account] ?? lastUsedAt, lastUsedAt)
        return true
    }

    /// The number of accounts whose password was neither used nor chosen since a time, but one of their passkeys was used.
    public func unusedPasswordCount(since time: Int64) throws -> Int {
        unusedPasswords(since: time).count
    }

    /// Whether an account has a password that nobody uses.
    public func hasUnusedPassword(_ account: AccountID, since time: Int64) throws -> Bool {
        unusedPasswords(since: time).contains(account)
    }

    private func unusedPasswords(since time: Int64) -> Set<AccountID> {
        let active = Set(records.passkeys.values.filter { ($0.lastUsedAt ?? .min) >= time }.map(\.accountID))
        let unused = records.passwords.values.filter { password in
            max(password.chosenAt, records.passwordUses[password.accountID] ?? .min) < time
        }
        return active.intersection(unused.map(\.accountID))
    }
}

/// What finds a daily count.
///
/// The kind is compared byte by byte, as databases do.
struct UpgradePlace: Hashable {
    let day: Int64
    let kind: [UInt8]

    init(_ day: Int64, _ kind: UpgradeCount.Kind) {
        self.day = day
        self.kind = Array(kind.rawValue.utf8)
    }
}
