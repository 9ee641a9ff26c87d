public import WardAccounts

extension SQLiteTransaction {
    /// Adds one to the count of a day.
    public func countUpgrade(_ kind: UpgradeCount.Kind, on day: Int64) throws {
        let sql = """
            INSERT INTO upgrade_count (day, kind, count) VALUES (?, ?, 1)
            ON CONFLICT (day, kind) DO UPDATE SET count = count + 1
            """
        try change(sql, [.integer(day), try .text(kind.rawValue)])
    }

    /// The daily counts from a day on.
    public func upgradeCounts(since day: Int64) throws -> [UpgradeCount] {
        let sql = "SELECT day, kind, count FROM upgrade_count WHERE day >= ? ORDER BY day, kind"
        return try all(sql, [.integer(day)]) { row in
            var columns = Columns(row)
            return UpgradeCount(
                day: try columns.integer(),
                kind: UpgradeCount.Kind(rawValue: try columns.text()),
                count: try columns.integer()
            )
        }
    }

    /// Deletes old daily counts.
    @discardableResult
    public func deleteUpgradeCounts(before day: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM upgrade_count WHERE (day, kind) IN (
                SELECT day, kind FROM upgrade_count WHERE day < ? LIMIT ?
            )
            """
        return try sweep(sql, day, limit)
    }

    /// The last offer to an account.
    public func offer(to account: AccountID) throws -> OfferRecord? {
        let sql = "SELECT shown_at, dismissed_at FROM passkey_offer WHERE account_id = ?"
        return try first(sql, [.blob(account.bytes)]) { row in
            var columns = Columns(row)
            return OfferRecord(
                accountID: account,
                shownAt: try columns.integer(),
                dismissedAt: try columns.optionalInteger()
            )
        }
    }

    /// Stores the last offer to an account, in place of an earlier one.
    public func setOffer(_ offer: OfferRecord) throws {
        let sql = """
            INSERT INTO passkey_offer (account_id, shown_at, dismissed_at) VALUES (?, ?, ?)
            ON CONFLICT (account_id) DO UPDATE SET shown_at = excluded.shown_at, dismissed_at = excluded.dismissed_at
            """
        try change(sql, [.blob(offer.accountID.bytes), .integer(offer.shownAt), .integer(offer.dismissedAt)])
    }

    /// Notes that an account's password was right in a sign-in.
    @discardableResult
    public func touchPassword(of account: AccountID, lastUsedAt: Int64) throws -> Bool {
        let sql = "UPDATE password SET last_used_at = max(ifnull(last_used_at, ?1), ?1) WHERE account_id = ?2"
        return try change(sql, [.integer(lastUsedAt), .blob(account.bytes)]) == 1
    }

    /// The number of accounts whose password was neither used nor chosen since a time, but one of their passkeys was used.
    public func unusedPasswordCount(since time: Int64) throws -> Int {
        try countUnused("", [.integer(time)])
    }

    /// Whether an account has a password that nobody uses.
    public func hasUnusedPassword(_ account: AccountID, since time: Int64) throws -> Bool {
        try countUnused("AND account_id = ?2", [.integer(time), .blob(account.bytes)]) > 0
    }

    private func countUnused(_ condition: String, _ values: [StoredValue]) throws -> Int {
        let sql = """
            SELECT count(*) FROM password
            WHERE max(chosen_at, ifnull(last_used_at, chosen_at)) < ?1 \(condition) AND EXISTS (
                SELECT 1 FROM passkey WHERE passkey.account_id = password.account_id AND passkey.last_used_at >= ?1
            )
            """
        let count = try first(sql, values) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        return Int(clamping: count ?? 0)
    }
}
