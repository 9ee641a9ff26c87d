public import WardAccounts

extension SQLiteTransaction {
    /// Finds an account's password.
    public func password(of account: AccountID) throws -> PasswordRecord? {
        try first("SELECT hash, chosen_at FROM password WHERE account_id = ?", [.blob(account.bytes)]) { row in
            var columns = Columns(row)
            return PasswordRecord(accountID: account, hash: try columns.text(), chosenAt: try columns.integer())
        }
    }

    /// Sets an account's password and replaces an existing one.
    public func setPassword(_ password: PasswordRecord) throws {
        let sql = """
            INSERT INTO password (account_id, hash, chosen_at) VALUES (?, ?, ?)
            ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, chosen_at = excluded.chosen_at
            """
        let values: [StoredValue] = [
            .blob(password.accountID.bytes), try .text(password.hash), .integer(password.chosenAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Deletes an account's password.
    @discardableResult
    public func deletePassword(of account: AccountID) throws -> Bool {
        try change("DELETE FROM password WHERE account_id = ?", [.blob(account.bytes)]) == 1
    }
}
