public import WardAccounts

extension SQLiteTransaction {
    private static let helperColumns = "id, owner_id, name, helper_id, created_at, accepted_at"
    private static let requestColumns =
        "account_id, token_hash, code_hash, created_at, expires_at, told_at, wrong_codes, approved_by"

    /// Stores a helper, in place of one with the same ID.
    public func setHelper(_ helper: RecoveryHelper) throws {
        let sql = """
            INSERT INTO recovery_helper (\(Self.helperColumns)) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, helper_id = excluded.helper_id,
                created_at = excluded.created_at, accepted_at = excluded.accepted_at
            WHERE owner_id = excluded.owner_id
            """
        let values: [StoredValue] = [
            .blob(helper.id), .blob(helper.ownerID.bytes), try .text(helper.name), .blob(helper.helperID?.bytes),
            .integer(helper.createdAt), .integer(helper.acceptedAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a helper of any account.
    public func helper(id: [UInt8]) throws -> RecoveryHelper? {
        let sql = "SELECT \(Self.helperColumns) FROM recovery_helper WHERE id = ?"
        return try first(sql, [.blob(id)], Self.helper)
    }

    /// The helpers of an account.
    public func helpers(of owner: AccountID) throws -> [RecoveryHelper] {
        let sql = "SELECT \(Self.helperColumns) FROM recovery_helper WHERE owner_id = ? ORDER BY created_at, id"
        return try all(sql, [.blob(owner.bytes)], Self.helper)
    }

    /// The records in which an account is the helper.
    public func helped(by helper: AccountID) throws -> [RecoveryHelper] {
        let sql = "SELECT \(Self.helperColumns) FROM recovery_helper WHERE helper_id = ? ORDER BY created_at, id"
        return try all(sql, [.blob(helper.bytes)], Self.helper)
    }

    /// Deletes a helper.
    @discardableResult
    public func deleteHelper(id: [UInt8]) throws -> Bool {
        try change("DELETE FROM recovery_helper WHERE id = ?", [.blob(id)]) == 1
    }

    /// Stores an account's request for help, in place of an earlier one.
    public func setHelpRequest(_ request: HelpRequest) throws {
        let sql = """
            INSERT INTO help_request (\(Self.requestColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (account_id) DO UPDATE SET token_hash = excluded.token_hash, code_hash = excluded.code_hash,
                created_at = excluded.created_at, expires_at = excluded.expires_at, told_at = excluded.told_at,
                wrong_codes = excluded.wrong_codes, approved_by = excluded.approved_by
            """
        let values: [StoredValue] = [
            .blob(request.accountID.bytes), .blob(request.tokenHash), .blob(request.codeHash),
            .integer(request.createdAt), .integer(request.expiresAt), .integer(request.toldAt),
            .integer(request.wrongCodes), .blob(request.approvedBy?.bytes),
        ]
        try change(sql, values)
    }

    /// The request for help of an account.
    public func helpRequest(of account: AccountID) throws -> HelpRequest? {
        let sql = "SELECT \(Self.requestColumns) FROM help_request WHERE account_id = ?"
        return try first(sql, [.blob(account.bytes)], Self.request)
    }

    /// Deletes the request for help of an account.
    @discardableResult
    public func deleteHelpRequest(of account: AccountID) throws -> Bool {
        try change("DELETE FROM help_request WHERE account_id = ?", [.blob(account.bytes)]) == 1
    }

    /// Deletes expired requests for help.
    @discardableResult
    public func deleteExpiredHelpRequests(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM help_request WHERE account_id IN (SELECT account_id FROM help_request WHERE expires_at < ? LIMIT ?)
            """
        return try sweep(sql, time, limit)
    }

    private static func helper(_ row: StoredRow) throws -> RecoveryHelper {
        var columns = Columns(row)
        return RecoveryHelper(
            id: try columns.blob(),
            ownerID: try columns.accountID(),
            name: try columns.text(),
            helperID: try columns.optionalAccountID(),
            createdAt: try columns.integer(),
            acceptedAt: try columns.optionalInteger()
        )
    }

    private static func request(_ row: StoredRow) throws -> HelpRequest {
        var columns = Columns(row)
        return HelpRequest(
            accountID: try columns.accountID(),
            tokenHash: try columns.blob(),
            codeHash: try columns.blob(),
            createdAt: try columns.integer(),
            expiresAt: try columns.integer(),
            toldAt: try columns.optionalInteger(),
            wrongCodes: try columns.integer(),
            approvedBy: try columns.optionalAccountID()
        )
    }
}

extension Columns {
    fileprivate mutating func optionalAccountID() throws -> AccountID? {
        guard let bytes = try optionalBlob() else { return nil }
        guard let id = AccountID(bytes) else {
            throw StoreError(.damaged, detail: "a row has an ID of an account with the wrong length")
        }
        return id
    }
}
