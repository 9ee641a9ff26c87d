public import WardAccounts

extension SQLiteTransaction {
    private static let adminTokenColumns = "token_hash, name, scopes, created_at, expires_at, last_used_at"

    /// Stores a new token of the admin API.
    public func insert(_ token: AdminToken) throws {
        let sql = "INSERT INTO admin_token (\(Self.adminTokenColumns)) VALUES (?, ?, ?, ?, ?, ?)"
        let scopes = token.scopes.map(\.rawValue).sorted().joined(separator: " ")
        let values: [StoredValue] = [
            .blob(token.tokenHash), try .text(token.name), try .text(scopes), .integer(token.createdAt),
            .integer(token.expiresAt), .integer(token.lastUsedAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a token of the admin API by its hash.
    public func adminToken(tokenHash: [UInt8]) throws -> AdminToken? {
        let sql = "SELECT \(Self.adminTokenColumns) FROM admin_token WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)], Self.adminToken)
    }

    /// All tokens of the admin API, oldest first.
    public func adminTokens() throws -> [AdminToken] {
        let sql = "SELECT \(Self.adminTokenColumns) FROM admin_token ORDER BY created_at, token_hash"
        return try all(sql, [], Self.adminToken)
    }

    /// Deletes a token of the admin API.
    @discardableResult
    public func deleteAdminToken(tokenHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM admin_token WHERE token_hash = ?", [.blob(tokenHash)]) == 1
    }

    /// Notes the use of a token of the admin API.
    @discardableResult
    public func touchAdminToken(tokenHash: [UInt8], lastUsedAt: Int64) throws -> Bool {
        let sql = "UPDATE admin_token SET last_used_at = ? WHERE token_hash = ?"
        return try change(sql, [.integer(lastUsedAt), .blob(tokenHash)]) == 1
    }

    private static func adminToken(_ row: StoredRow) throws -> AdminToken {
        var columns = Columns(row)
        return AdminToken(
            tokenHash: try columns.blob(),
            name: try columns.text(),
            scopes: Set(try columns.text().split(separator: " ").map { AdminToken.Scope(rawValue: String($0)) }),
            createdAt: try columns.integer(),
            expiresAt: try columns.integer(),
            lastUsedAt: try columns.optionalInteger()
        )
    }

    /// How many records there are; it reads whole indexes.
    public func recordCounts() throws -> RecordCounts {
        func count(_ table: String) throws -> Int {
            let count = try first("SELECT count(*) FROM \(table)", []) { row in
                var columns = Columns(row)
                return try columns.integer()
            }
            return Int(count ?? 0)
        }
        return RecordCounts(
            accounts: try count("account"),
            disabledAccounts: try count("account WHERE disabled_at IS NOT NULL"),
            passkeys: try count("passkey"),
            passwords: try count("password"),
            sessions: try count("session")
        )
    }
}
