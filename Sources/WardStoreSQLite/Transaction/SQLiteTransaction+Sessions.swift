public import WardAccounts
internal import WardWebAuthn

extension SQLiteTransaction {
    private static let sessionColumns = """
        id, token_hash, account_id, created_at, authenticated_at, method, credential_id, passkey_proven_at, user_verified, \
        last_seen_at, idle_expires_at, expires_at, user_agent, client_id, device_key, bound_at, \
        proofs, second_factor
        """

    /// Begins a session.
    public func insert(_ session: Session) throws {
        let sql =
            "INSERT INTO session (\(Self.sessionColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            .blob(session.id.bytes), .blob(session.tokenHash), .blob(session.accountID.bytes),
            .integer(session.createdAt), .integer(session.authenticatedAt), try .text(session.method.rawValue),
            .blob(session.passkeyProof?.credentialID.bytes), .integer(session.passkeyProof?.provenAt),
            .flag(session.passkeyProof?.userVerified ?? true),
            .integer(session.lastSeenAt), .integer(session.idleExpiresAt), .integer(session.expiresAt),
            try .text(session.userAgent), try session.clientID.map { try .text($0) } ?? .null,
            .blob(session.binding?.publicKey), .integer(session.binding?.boundAt),
            .integer(session.binding?.proofs ?? 0), try session.secondFactor.map { try .text($0.rawValue) } ?? .null,
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a session by the hash of its token, even if it has expired.
    public func session(tokenHash: [UInt8]) throws -> Session? {
        try first(
            "SELECT \(Self.sessionColumns) FROM session WHERE token_hash = ?",
            [.blob(tokenHash)],
            Self.session
        )
    }

    /// Finds a session by its ID, even if it has expired.
    public func session(id: SessionID) throws -> Session? {
        try first("SELECT \(Self.sessionColumns) FROM session WHERE id = ?", [.blob(id.bytes)], Self.session)
    }

    /// Lists an account's sessions, oldest first.
    public func sessions(of account: AccountID) throws -> [Session] {
        let sql = "SELECT \(Self.sessionColumns) FROM session WHERE account_id = ? ORDER BY created_at, id"
        return try all(sql, [.blob(account.bytes)], Self.session)
    }

    /// Records the use of a session.
    @discardableResult
    public func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) throws -> Bool {
        // The expressions on the right use the old values of the row.
        let sql = """
            UPDATE session SET last_seen_at = max(last_seen_at, ?1),
                idle_expires_at = CASE WHEN ?1 >= last_seen_at THEN ?2 ELSE idle_expires_at END
            WHERE id = ?3
            """
        return try change(sql, [.integer(lastSeenAt), .integer(idleExpiresAt), .blob(id.bytes)]) == 1
    }

    /// Binds a session to the key of a device, unless it is already bound.
    public func bindSession(id: SessionID, to binding: SessionBinding) throws -> Bool {
        let sql = "UPDATE session SET device_key = ?, bound_at = ?, proofs = ? WHERE id = ? AND device_key IS NULL"
        let values: [StoredValue] = [
            .blob(binding.publicKey), .integer(binding.boundAt), .integer(binding.proofs), .blob(id.bytes),
        ]
        return try change(sql, values) == 1
    }

    /// Counts a proof of a session's device, unless another proof came first.
    public func countProof(ofSession id: SessionID, after count: Int64) throws -> Bool {
        let sql = "UPDATE session SET proofs = proofs + 1 WHERE id = ? AND device_key IS NOT NULL AND proofs = ?"
        return try change(sql, [.blob(id.bytes), .integer(count)]) == 1
    }

    /// Ends a session if it belongs to the account.
    public func deleteSession(id: SessionID, of account: AccountID) throws -> Bool {
        let sql = "DELETE FROM session WHERE id = ? AND account_id = ?"
        return try change(sql, [.blob(id.bytes), .blob(account.bytes)]) == 1
    }

    /// Ends the session of a token.
    @discardableResult
    public func deleteSession(tokenHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM session WHERE token_hash = ?", [.blob(tokenHash)]) == 1
    }

    /// Ends the least important sessions of an account, until it has no more than the given number.
    @discardableResult
    public func deleteOldestSessions(of account: AccountID, keeping limit: Int) throws -> Int {
        let count = try first("SELECT count(*) FROM session WHERE account_id = ?", [.blob(account.bytes)]) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        let surplus = (count ?? 0) - Int64(max(0, limit))
        guard surplus > 0 else { return 0 }
        let sql = """
            DELETE FROM session WHERE token_hash IN (
                SELECT token_hash FROM session WHERE account_id = ?
                ORDER BY credential_id IS NOT NULL, created_at, id LIMIT ?
            )
            """
        return try change(sql, [.blob(account.bytes), .integer(surplus)])
    }

    /// Deletes expired sessions.
    @discardableResult
    public func deleteExpiredSessions(at now: Int64, limit: Int) throws -> Int {
        // The expression must be the same as in the index. Otherwise SQLite does not use the index.
        let sql = """
            DELETE FROM session WHERE token_hash IN (
                SELECT token_hash FROM session WHERE min(expires_at, ifnull(idle_expires_at, expires_at)) <= ? LIMIT ?
            )
            """
        return try sweep(sql, now, limit)
    }

    private static func session(_ row: StoredRow) throws -> Session {
        var columns = Columns(row)
        var session = Session(
            id: try columns.sessionID(),
            tokenHash: try columns.blob(),
            accountID: try columns.accountID(),
            createdAt: try columns.integer(),
            authenticatedAt: try columns.integer(),
            method: try columns.method(),
            passkeyProof: try columns.passkeyProof(),
            lastSeenAt: try columns.integer(),
            idleExpiresAt: try columns.optionalInteger(),
            expiresAt: try columns.integer(),
            userAgent: try columns.text(),
            clientID: try columns.optionalText(),
            binding: try columns.sessionBinding()
        )
        session.secondFactor = try columns.optionalText().map { Session.SecondFactor(rawValue: $0) }
        return session
    }
}
