public import WardAccounts

extension SQLiteTransaction {
    /// Reads a count of attempts.
    public func attempts(_ key: [UInt8]) throws -> AttemptCount? {
        let sql = "SELECT count, last_at, expires_at FROM attempt WHERE key = ?"
        return try first(sql, [.blob(key)]) { row in
            var columns = Columns(row)
            return AttemptCount(
                key: key,
                count: try columns.integer(),
                lastAt: try columns.integer(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// Writes a count of attempts and replaces an earlier one.
    public func setAttempts(_ attempts: AttemptCount) throws {
        let sql = """
            INSERT INTO attempt (key, count, last_at, expires_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET
                count = excluded.count, last_at = excluded.last_at, expires_at = excluded.expires_at
            """
        let values: [StoredValue] = [
            .blob(attempts.key), .integer(attempts.count), .integer(attempts.lastAt), .integer(attempts.expiresAt),
        ]
        try change(sql, values)
    }

    /// Deletes a count of attempts.
    @discardableResult
    public func deleteAttempts(_ key: [UInt8]) throws -> Bool {
        try change("DELETE FROM attempt WHERE key = ?", [.blob(key)]) == 1
    }

    /// Deletes counts of attempts that have ended.
    @discardableResult
    public func deleteExpiredAttempts(before time: Int64, limit: Int) throws -> Int {
        let sql = "DELETE FROM attempt WHERE key IN (SELECT key FROM attempt WHERE expires_at < ? LIMIT ?)"
        return try sweep(sql, time, limit)
    }

    /// Deletes counts until no more than the given number are left: those with the fewest and oldest attempts first.
    @discardableResult
    public func deleteSurplusAttempts(keeping most: Int, limit: Int) throws -> Int {
        let total = try first("SELECT count(*) FROM attempt", []) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        let surplus = max(0, min(Int64(limit), (total ?? 0) - Int64(most)))
        guard surplus > 0 else { return 0 }
        let sql = "DELETE FROM attempt WHERE key IN (SELECT key FROM attempt ORDER BY count, last_at LIMIT ?)"
        return try change(sql, [.integer(surplus)])
    }
}
