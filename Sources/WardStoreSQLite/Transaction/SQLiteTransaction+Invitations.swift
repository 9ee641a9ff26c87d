public import WardAccounts

extension SQLiteTransaction {
    /// Stores an invitation until it is used or expires.
    public func insert(_ invitation: Invitation) throws {
        let sql = "INSERT INTO invitation (token_hash, created_at, expires_at) VALUES (?, ?, ?)"
        let values: [StoredValue] = [
            .blob(invitation.tokenHash), .integer(invitation.createdAt), .integer(invitation.expiresAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds an invitation by the hash of its token.
    public func invitation(tokenHash: [UInt8]) throws -> Invitation? {
        let sql = "SELECT created_at, expires_at FROM invitation WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)]) { row in
            var columns = Columns(row)
            return Invitation(
                tokenHash: tokenHash,
                createdAt: try columns.integer(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// The newest invitations.
    public func invitations(limit: Int) throws -> [Invitation] {
        let sql = """
            SELECT token_hash, created_at, expires_at FROM invitation ORDER BY created_at DESC, token_hash LIMIT ?
            """
        return try all(sql, [.integer(Int64(max(0, limit)))]) { row in
            var columns = Columns(row)
            return Invitation(
                tokenHash: try columns.blob(),
                createdAt: try columns.integer(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// Deletes an invitation that is being used.
    @discardableResult
    public func deleteInvitation(tokenHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM invitation WHERE token_hash = ?", [.blob(tokenHash)]) == 1
    }

    /// Deletes expired invitations.
    @discardableResult
    public func deleteExpiredInvitations(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM invitation WHERE token_hash IN (
                SELECT token_hash FROM invitation WHERE expires_at < ? LIMIT ?
            )
            """
        return try sweep(sql, time, limit)
    }
}
