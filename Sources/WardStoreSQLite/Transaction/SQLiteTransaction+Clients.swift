public import WardAccounts

extension SQLiteTransaction {
    private static let clientColumns = """
        id, name, secret_hash, redirect_uris, post_logout_redirect_uris, is_first_party, allows_devices, \
        id_token_algorithm, created_at
        """

    /// Adds a client.
    public func insert(_ client: OAuthClient) throws {
        let sql = "INSERT INTO oauth_client (\(Self.clientColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            try .text(client.id), try .text(client.name), .blob(client.secretHash), try .words(client.redirectURIs),
            try .words(client.postLogoutRedirectURIs), .flag(client.isFirstParty),
            .flag(client.allowsDevices), try .text(client.idTokenAlgorithm.rawValue), .integer(client.createdAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a client by its ID.
    public func oauthClient(id: String) throws -> OAuthClient? {
        guard let id = try? StoredValue.text(id) else { return nil }
        return try first("SELECT \(Self.clientColumns) FROM oauth_client WHERE id = ?", [id], Self.client)
    }

    /// All clients, in the order of their IDs.
    public func oauthClients() throws -> [OAuthClient] {
        try all("SELECT \(Self.clientColumns) FROM oauth_client ORDER BY id", [], Self.client)
    }

    /// Replaces a client's values.
    @discardableResult
    public func update(_ client: OAuthClient) throws -> Bool {
        let sql = """
            UPDATE oauth_client SET name = ?, secret_hash = ?, redirect_uris = ?, post_logout_redirect_uris = ?,
                is_first_party = ?, allows_devices = ?, id_token_algorithm = ?
            WHERE id = ?
            """
        let values: [StoredValue] = [
            try .text(client.name), .blob(client.secretHash), try .words(client.redirectURIs),
            try .words(client.postLogoutRedirectURIs), .flag(client.isFirstParty),
            .flag(client.allowsDevices), try .text(client.idTokenAlgorithm.rawValue), try .text(client.id),
        ]
        return try change(sql, values) == 1
    }

    /// Deletes a client with all that it was given.
    @discardableResult
    public func deleteOAuthClient(id: String) throws -> Bool {
        try change("DELETE FROM oauth_client WHERE id = ?", [try .text(id)]) == 1
    }

    /// Stores what a person allowed a client.
    public func setOAuthConsent(_ consent: OAuthConsent) throws {
        let sql = """
            INSERT INTO oauth_consent (account_id, client_id, scopes, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (account_id, client_id) DO UPDATE SET scopes = excluded.scopes, created_at = excluded.created_at
            """
        let values: [StoredValue] = [
            .blob(consent.accountID.bytes), try .text(consent.clientID), try .words(consent.scopes),
            .integer(consent.createdAt),
        ]
        try change(sql, values)
    }

    /// What a person allowed a client.
    public func oauthConsent(of account: AccountID, to client: String) throws -> OAuthConsent? {
        let sql = "SELECT scopes, created_at FROM oauth_consent WHERE account_id = ? AND client_id = ?"
        return try first(sql, [.blob(account.bytes), try .text(client)]) { row in
            var columns = Columns(row)
            return OAuthConsent(
                accountID: account,
                clientID: client,
                scopes: try columns.words(),
                createdAt: try columns.integer()
            )
        }
    }

    /// Forgets what a person allowed a client.
    @discardableResult
    public func deleteOAuthConsent(of account: AccountID, to client: String) throws -> Bool {
        let sql = "DELETE FROM oauth_consent WHERE account_id = ? AND client_id = ?"
        return try change(sql, [.blob(account.bytes), try .text(client)]) == 1
    }

    private static func client(_ row: StoredRow) throws -> OAuthClient {
        var columns = Columns(row)
        return OAuthClient(
            id: try columns.text(),
            name: try columns.text(),
            secretHash: try columns.optionalBlob(),
            redirectURIs: try columns.words(),
            postLogoutRedirectURIs: try columns.words(),
            isFirstParty: try columns.flag(),
            allowsDevices: try columns.flag(),
            idTokenAlgorithm: try columns.idTokenAlgorithm(),
            createdAt: try columns.integer()
        )
    }
}
