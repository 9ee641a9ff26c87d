public import WardAccounts

extension SQLiteTransaction {
    /// Begins a session at an app's host.
    public func insert(_ session: AppSession) throws {
        let sql = """
            INSERT INTO app_session (token_hash, session_id, origin, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (session_id, origin) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at
            """
        let values: [StoredValue] = [
            .blob(session.tokenHash), .blob(session.sessionID.bytes), try .text(session.origin),
            .integer(session.createdAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a session at an app's host by the hash of its token.
    public func appSession(tokenHash: [UInt8]) throws -> AppSession? {
        let sql = "SELECT session_id, origin, created_at FROM app_session WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)]) { row in
            var columns = Columns(row)
            return AppSession(
                tokenHash: tokenHash,
                sessionID: try columns.sessionID(),
                origin: try columns.text(),
                createdAt: try columns.integer()
            )
        }
    }
}
