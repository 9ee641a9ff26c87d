public import WardAccounts

extension SQLiteTransaction {
    /// Stores an account's recovery link and replaces an existing one.
    public func setRecoveryLink(_ link: RecoveryLink) throws {
        let sql = """
            INSERT INTO recovery_link (account_id, token_hash, created_at, expires_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (account_id) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at,
                expires_at = excluded.expires_at
            """
        let values: [StoredValue] = [
            .blob(link.accountID.bytes), .blob(link.tokenHash), .integer(link.createdAt), .integer(link.expiresAt),
        ]
        try change(sql, values)
    }

    /// Finds a recovery link by the hash of its token.
    public func recoveryLink(tokenHash: [UInt8]) throws -> RecoveryLink? {
        let sql = "SELECT account_id, created_at, expires_at FROM recovery_link WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)]) { row in
            var columns = Columns(row)
            return RecoveryLink(
                accountID: try columns.accountID(),
                tokenHash: tokenHash,
                createdAt: try columns.integer(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// Deletes an account's recovery link.
    @discardableResult
    public func deleteRecoveryLink(of account: AccountID) throws -> Bool {
        try change("DELETE FROM recovery_link WHERE account_id = ?", [.blob(account.bytes)]) == 1
    }
}
