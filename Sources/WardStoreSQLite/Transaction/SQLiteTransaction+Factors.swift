public import WardAccounts

extension SQLiteTransaction {
    private static let factorColumns =
        "account_id, kind, key, payload, created_at, confirmed_at, last_used_at, counter"

    /// All factors of an account.
    public func factors(of account: AccountID) throws -> [FactorRecord] {
        let sql = "SELECT \(Self.factorColumns) FROM factor WHERE account_id = ? ORDER BY kind, key"
        return try all(sql, [.blob(account.bytes)], Self.factor)
    }

    /// Finds a factor of any account.
    public func factor(_ kind: FactorRecord.Kind, key: [UInt8]) throws -> FactorRecord? {
        let sql = "SELECT \(Self.factorColumns) FROM factor WHERE kind = ? AND key = ?"
        return try first(sql, [.text(kind.rawValue), .blob(key)], Self.factor)
    }

    /// Stores a factor, in place of one with the same kind and key.
    public func setFactor(_ factor: FactorRecord) throws {
        let sql = """
            INSERT INTO factor (\(Self.factorColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, created_at = excluded.created_at,
                confirmed_at = excluded.confirmed_at, last_used_at = excluded.last_used_at, counter = excluded.counter
            WHERE account_id = excluded.account_id
            """
        let values: [StoredValue] = [
            .blob(factor.accountID.bytes), try .text(factor.kind.rawValue), .blob(factor.key), .blob(factor.payload),
            .integer(factor.createdAt), .integer(factor.confirmedAt), .integer(factor.lastUsedAt),
            .integer(factor.counter),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Deletes a factor if the account has it.
    @discardableResult
    public func deleteFactor(_ kind: FactorRecord.Kind, key: [UInt8], of account: AccountID) throws -> Bool {
        let sql = "DELETE FROM factor WHERE kind = ? AND key = ? AND account_id = ?"
        return try change(sql, [.text(kind.rawValue), .blob(key), .blob(account.bytes)]) == 1
    }

    /// Deletes all factors of one kind of an account.
    @discardableResult
    public func deleteFactors(_ kind: FactorRecord.Kind, of account: AccountID) throws -> Int {
        let sql = "DELETE FROM factor WHERE account_id = ? AND kind = ?"
        return try change(sql, [.blob(account.bytes), .text(kind.rawValue)])
    }

    private static func factor(_ row: StoredRow) throws -> FactorRecord {
        var columns = Columns(row)
        return FactorRecord(
            accountID: try columns.accountID(),
            kind: FactorRecord.Kind(rawValue: try columns.text()),
            key: try columns.blob(),
            payload: try columns.blob(),
            createdAt: try columns.integer(),
            confirmedAt: try columns.optionalInteger(),
            lastUsedAt: try columns.optionalInteger(),
            counter: try columns.integer()
        )
    }
}
