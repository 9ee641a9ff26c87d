public import WardAccounts
public import WardWebAuthn

extension SQLiteTransaction {
    private static let accountColumns = """
        id, username, username_mapped, display_name, user_handle, created_at, disabled_at, group_names
        """

    /// Creates an account.
    public func insert(_ account: Account) throws {
        let sql = """
            INSERT INTO account (\(Self.accountColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (username_mapped) DO NOTHING
            """
        let mapped = account.username.mapped
        let values: [StoredValue] = [
            .blob(account.id.bytes), try .text(account.username.text), try .text(mapped),
            try .text(account.displayName), .blob(account.userHandle.bytes), .integer(account.createdAt),
            .integer(account.disabledAt), try .text(Self.text(account.groups)),
        ]
        do {
            guard try insert(sql, values) else { throw StoreError(.usernameTaken) }
        } catch let error as StoreError where error.code == .conflict {
            // SQLite does not say which constraint it checks first. The error names the user name, because people can choose
            // another one.
            throw try self.account(username: mapped) == nil ? error : StoreError(.usernameTaken)
        }
    }

    /// Finds an account by its ID.
    public func account(id: AccountID) throws -> Account? {
        try first("SELECT \(Self.accountColumns) FROM account WHERE id = ?", [.blob(id.bytes)], Self.account)
    }

    /// Finds an account by the mapped form of its name.
    public func account(username mapped: String) throws -> Account? {
        guard let mapped = try? StoredValue.text(mapped) else { return nil }
        return try first(
            "SELECT \(Self.accountColumns) FROM account WHERE username_mapped = ?",
            [mapped],
            Self.account
        )
    }

    /// Finds an account by its user handle.
    public func account(userHandle: UserHandle) throws -> Account? {
        try first(
            "SELECT \(Self.accountColumns) FROM account WHERE user_handle = ?",
            [.blob(userHandle.bytes)],
            Self.account
        )
    }

    /// A sample of the accounts.
    public func accounts(limit: Int) throws -> [Account] {
        let sql = "SELECT \(Self.accountColumns) FROM account ORDER BY user_handle LIMIT ?"
        return try all(sql, [.integer(Int64(max(0, limit)))], Self.account)
    }

    /// The accounts in the order of the mapped forms of their names, in pages.
    public func accounts(after mapped: String?, limit: Int) throws -> [Account] {
        let sql = """
            SELECT \(Self.accountColumns) FROM account WHERE username_mapped > ? ORDER BY username_mapped LIMIT ?
            """
        // No name is empty, so the empty text is before all names.
        return try all(sql, [try .text(mapped ?? ""), .integer(Int64(max(0, limit)))], Self.account)
    }

    /// The accounts whose names have a prefix, in the order of the mapped forms of their names, in pages.
    public func accounts(withPrefix prefix: String, after mapped: String?, limit: Int) throws -> [Account] {
        guard let prefix = try? StoredValue.text(prefix), let mapped = try? StoredValue.text(mapped ?? "") else {
            return []
        }
        // The last bound ends the scan of the index. The condition on the beginning also holds for the last code points.
        let sql = """
            SELECT \(Self.accountColumns) FROM account
            WHERE username_mapped > ?1 AND username_mapped >= ?2 AND username_mapped <= ?2 || char(0x10FFFF)
                AND substr(username_mapped, 1, length(?2)) = ?2
            ORDER BY username_mapped LIMIT ?3
            """
        return try all(sql, [mapped, prefix, .integer(Int64(max(0, limit)))], Self.account)
    }

    /// Updates an account's names.
    @discardableResult
    public func update(_ account: Account) throws -> Bool {
        let sql = "UPDATE account SET username = ?, username_mapped = ?, display_name = ? WHERE id = ?"
        let values: [StoredValue] = [
            try .text(account.username.text), try .text(account.username.mapped), try .text(account.displayName),
            .blob(account.id.bytes),
        ]
        do {
            return try change(sql, values) == 1
        } catch let error as StoreError where error.code == .conflict {
            // Only one of the written columns must be unique: the name.
            throw StoreError(.usernameTaken)
        }
    }

    /// Disables an account, or enables it again.
    @discardableResult
    public func setAccount(id: AccountID, disabledAt time: Int64?) throws -> Bool {
        try change("UPDATE account SET disabled_at = ? WHERE id = ?", [.integer(time), .blob(id.bytes)]) == 1
    }

    /// Sets the groups of an account.
    @discardableResult
    public func setAccount(id: AccountID, groups: [GroupName]) throws -> Bool {
        try change("UPDATE account SET group_names = ? WHERE id = ?", [.text(Self.text(groups)), .blob(id.bytes)]) == 1
    }

    /// The names with spaces between them, which no name has.
    private static func text(_ groups: [GroupName]) -> String { groups.map(\.text).joined(separator: " ") }

    /// Deletes an account with its password, passkeys and sessions.
    @discardableResult
    public func deleteAccount(id: AccountID) throws -> Bool {
        try change("DELETE FROM account WHERE id = ?", [.blob(id.bytes)]) == 1
    }

    private static func account(_ row: StoredRow) throws -> Account {
        var columns = Columns(row)
        return Account(
            id: try columns.accountID(),
            username: Username(storedText: try columns.text(), mapped: try columns.text()),
            displayName: try columns.text(),
            userHandle: try columns.userHandle(),
            createdAt: try columns.integer(),
            disabledAt: try columns.optionalInteger(),
            groups: try columns.groups()
        )
    }
}
