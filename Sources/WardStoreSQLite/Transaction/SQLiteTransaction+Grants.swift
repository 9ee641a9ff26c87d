public import WardAccounts

extension SQLiteTransaction {
    private static let grantColumns = """
        code_hash, client_id, session_id, scopes, redirect_uri, code_challenge, nonce, authenticated_at, acr, amr, \
        created_at, code_used_at, expires_at
        """

    /// Stores a grant.
    public func insert(_ grant: OAuthGrant) throws {
        let sql = "INSERT INTO oauth_grant (\(Self.grantColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            .blob(grant.codeHash), try .text(grant.clientID), .blob(grant.sessionID.bytes), try .words(grant.scopes),
            try .text(grant.redirectURI), .blob(grant.codeChallenge), try grant.nonce.map { try .text($0) } ?? .null,
            .integer(grant.authenticatedAt), try grant.acr.map { try .text($0) } ?? .null, try .words(grant.amr),
            .integer(grant.createdAt), .integer(grant.codeUsedAt), .integer(grant.expiresAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a grant by the hash of its code.
    public func oauthGrant(codeHash: [UInt8]) throws -> OAuthGrant? {
        let sql = "SELECT \(Self.grantColumns) FROM oauth_grant WHERE code_hash = ?"
        return try first(sql, [.blob(codeHash)]) { row in
            var columns = Columns(row)
            return OAuthGrant(
                codeHash: try columns.blob(),
                clientID: try columns.text(),
                sessionID: try columns.sessionID(),
                scopes: try columns.words(),
                redirectURI: try columns.text(),
                codeChallenge: try columns.blob(),
                nonce: try columns.optionalText(),
                authenticatedAt: try columns.integer(),
                acr: try columns.optionalText(),
                amr: try columns.words(),
                createdAt: try columns.integer(),
                codeUsedAt: try columns.optionalInteger(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// Sets when the code was used, and when the grant ends.
    @discardableResult
    public func update(_ grant: OAuthGrant) throws -> Bool {
        let sql = "UPDATE oauth_grant SET code_used_at = ?, expires_at = ? WHERE code_hash = ?"
        return try change(sql, [.integer(grant.codeUsedAt), .integer(grant.expiresAt), .blob(grant.codeHash)]) == 1
    }

    /// Gives the grants of a session to another one.
    public func moveOAuthGrants(from session: SessionID, to successor: SessionID) throws {
        let sql = "UPDATE oauth_grant SET session_id = ? WHERE session_id = ?"
        try change(sql, [.blob(successor.bytes), .blob(session.bytes)])
    }

    /// Deletes a grant with its tokens.
    @discardableResult
    public func deleteOAuthGrant(codeHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM oauth_grant WHERE code_hash = ?", [.blob(codeHash)]) == 1
    }

    /// Deletes expired grants with their tokens.
    @discardableResult
    public func deleteExpiredOAuthGrants(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM oauth_grant WHERE code_hash IN (
                SELECT code_hash FROM oauth_grant WHERE expires_at < ? LIMIT ?
            )
            """
        return try sweep(sql, time, limit)
    }

    // MARK: Tokens

    /// Stores a token.
    public func insert(_ token: OAuthToken) throws {
        let sql = """
            INSERT INTO oauth_token (hash, kind, code_hash, created_at, expires_at, replaced_at, successor)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        let values: [StoredValue] = [
            .blob(token.hash), try .text(token.kind.rawValue), .blob(token.grant), .integer(token.createdAt),
            .integer(token.expiresAt), .integer(token.replacedAt), .blob(token.successor),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a token by its hash.
    public func oauthToken(hash: [UInt8]) throws -> OAuthToken? {
        let sql = """
            SELECT kind, code_hash, created_at, expires_at, replaced_at, successor FROM oauth_token WHERE hash = ?
            """
        return try first(sql, [.blob(hash)]) { row in
            var columns = Columns(row)
            guard let kind = OAuthToken.Kind(rawValue: try columns.text()) else {
                throw StoreError(.damaged, detail: "a token is of an unknown kind")
            }
            return OAuthToken(
                hash: hash,
                kind: kind,
                grant: try columns.blob(),
                createdAt: try columns.integer(),
                expiresAt: try columns.integer(),
                replacedAt: try columns.optionalInteger(),
                successor: try columns.optionalBlob()
            )
        }
    }

    /// Sets what replaced a token.
    @discardableResult
    public func update(_ token: OAuthToken) throws -> Bool {
        let sql = "UPDATE oauth_token SET replaced_at = ?, successor = ? WHERE hash = ?"
        return try change(sql, [.integer(token.replacedAt), .blob(token.successor), .blob(token.hash)]) == 1
    }

    /// Deletes a token.
    @discardableResult
    public func deleteOAuthToken(hash: [UInt8]) throws -> Bool {
        try change("DELETE FROM oauth_token WHERE hash = ?", [.blob(hash)]) == 1
    }

    /// Deletes expired tokens.
    @discardableResult
    public func deleteExpiredOAuthTokens(before time: Int64, limit: Int) throws -> Int {
        let sql = "DELETE FROM oauth_token WHERE hash IN (SELECT hash FROM oauth_token WHERE expires_at < ? LIMIT ?)"
        return try sweep(sql, time, limit)
    }

    // MARK: Keys of ID tokens

    /// Stores a key, or replaces the one with its ID.
    public func setIDTokenKey(_ key: IDTokenKey) throws {
        let sql = """
            INSERT INTO id_token_key (id, algorithm, private_key, active_from, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET algorithm = excluded.algorithm, private_key = excluded.private_key,
                active_from = excluded.active_from, expires_at = excluded.expires_at
            """
        let values: [StoredValue] = [
            try .text(key.id), try .text(key.algorithm.rawValue), .blob(key.privateKey), .integer(key.activeFrom),
            .integer(key.expiresAt),
        ]
        try change(sql, values)
    }

    /// All keys, those that sign first before others.
    public func idTokenKeys() throws -> [IDTokenKey] {
        let sql = """
            SELECT id, algorithm, private_key, active_from, expires_at FROM id_token_key ORDER BY active_from, id
            """
        return try all(sql, []) { row in
            var columns = Columns(row)
            return IDTokenKey(
                id: try columns.text(),
                algorithm: try columns.idTokenAlgorithm(),
                privateKey: try columns.blob(),
                activeFrom: try columns.integer(),
                expiresAt: try columns.optionalInteger()
            )
        }
    }

    /// Deletes a key.
    @discardableResult
    public func deleteIDTokenKey(id: String) throws -> Bool {
        try change("DELETE FROM id_token_key WHERE id = ?", [try .text(id)]) == 1
    }
}
