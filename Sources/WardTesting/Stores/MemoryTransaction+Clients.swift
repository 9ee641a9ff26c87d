public import WardAccounts

extension MemoryTransaction {
    // MARK: Clients

    /// Adds a client.
    public func insert(_ client: OAuthClient) throws {
        try beginWriting([client.id, client.name] + client.redirectURIs + client.postLogoutRedirectURIs)
        guard records.clients[Array(client.id.utf8)] == nil else { throw StoreError(.conflict) }
        records.clients[Array(client.id.utf8)] = client
    }

    /// Finds a client by its ID.
    public func oauthClient(id: String) throws -> OAuthClient? {
        records.clients[Array(id.utf8)]
    }

    /// All clients, in the order of their IDs.
    public func oauthClients() throws -> [OAuthClient] {
        records.clients.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Replaces a client's values.
    @discardableResult
    public func update(_ client: OAuthClient) throws -> Bool {
        try beginWriting([client.id, client.name] + client.redirectURIs + client.postLogoutRedirectURIs)
        guard let stored = records.clients[Array(client.id.utf8)] else { return false }
        var client = client
        client.createdAt = stored.createdAt
        records.clients[Array(client.id.utf8)] = client
        return true
    }

    /// Deletes a client with all that it was given.
    @discardableResult
    public func deleteOAuthClient(id: String) throws -> Bool {
        try beginWriting(id)
        guard records.clients.removeValue(forKey: Array(id.utf8)) != nil else { return false }
        records.consents.removeAll { $0.clientID == id }
        removeGrants { $0.clientID == id }
        removeDevices { $0.clientID == id }
        for session in records.sessions.values where session.clientID == id { remove(session) }
        return true
    }

    /// Stores what a person allowed a client.
    public func setOAuthConsent(_ consent: OAuthConsent) throws {
        try beginWriting([consent.clientID] + consent.scopes)
        guard records.accounts[consent.accountID] != nil, try oauthClient(id: consent.clientID) != nil else {
            throw StoreError(.accountNotFound)
        }
        try deleteOAuthConsent(of: consent.accountID, to: consent.clientID)
        records.consents.append(consent)
    }

    /// What a person allowed a client.
    public func oauthConsent(of account: AccountID, to client: String) throws -> OAuthConsent? {
        records.consents.first { $0.accountID == account && $0.clientID == client }
    }

    /// Forgets what a person allowed a client.
    @discardableResult
    public func deleteOAuthConsent(of account: AccountID, to client: String) throws -> Bool {
        try beginWriting(client)
        let count = records.consents.count
        records.consents.removeAll { $0.accountID == account && $0.clientID == client }
        return records.consents.count < count
    }

    // MARK: Grants

    /// Stores a grant.
    public func insert(_ grant: OAuthGrant) throws {
        try beginWriting(
            [grant.clientID, grant.redirectURI, grant.nonce ?? "", grant.acr ?? ""] + grant.scopes + grant.amr
        )
        guard records.grants[grant.codeHash] == nil else { throw StoreError(.conflict) }
        guard records.sessions[grant.sessionID] != nil, try oauthClient(id: grant.clientID) != nil else {
            throw StoreError(.accountNotFound)
        }
        records.grants[grant.codeHash] = grant
    }

    /// Finds a grant by the hash of its code.
    public func oauthGrant(codeHash: [UInt8]) throws -> OAuthGrant? {
        records.grants[codeHash]
    }

    /// Sets when the code was used, and when the grant ends.
    @discardableResult
    public func update(_ grant: OAuthGrant) throws -> Bool {
        try beginWriting()
        guard var stored = records.grants[grant.codeHash] else { return false }
        stored.codeUsedAt = grant.codeUsedAt
        stored.expiresAt = grant.expiresAt
        records.grants[grant.codeHash] = stored
        return true
    }

    /// Gives the grants of a session to another one.
    public func moveOAuthGrants(from session: SessionID, to successor: SessionID) throws {
        try beginWriting()
        for grant in records.grants.values where grant.sessionID == session {
            guard records.sessions[successor] != nil else { throw StoreError(.accountNotFound) }
            records.grants[grant.codeHash]?.sessionID = successor
        }
    }

    /// Deletes a grant with its tokens.
    @discardableResult
    public func deleteOAuthGrant(codeHash: [UInt8]) throws -> Bool {
        try beginWriting()
        guard records.grants[codeHash] != nil else { return false }
        removeGrants { $0.codeHash == codeHash }
        return true
    }

    /// Deletes expired grants with their tokens.
    @discardableResult
    public func deleteExpiredOAuthGrants(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.grants.values.filter { $0.expiresAt < time }.prefix(max(0, limit)).map(\.codeHash)
        removeGrants { expired.contains($0.codeHash) }
        return expired.count
    }

    func removeGrants(where isOver: (OAuthGrant) -> Bool) {
        for grant in records.grants.values where isOver(grant) {
            records.grants[grant.codeHash] = nil
            for token in records.tokens.values where token.grant == grant.codeHash { records.tokens[token.hash] = nil }
        }
    }

    // MARK: Tokens

    /// Stores a token.
    public func insert(_ token: OAuthToken) throws {
        try beginWriting()
        guard records.tokens[token.hash] == nil else { throw StoreError(.conflict) }
        guard records.grants[token.grant] != nil else { throw StoreError(.accountNotFound) }
        records.tokens[token.hash] = token
    }

    /// Finds a token by its hash.
    public func oauthToken(hash: [UInt8]) throws -> OAuthToken? {
        records.tokens[hash]
    }

    /// Sets what replaced a token.
    @discardableResult
    public func update(_ token: OAuthToken) throws -> Bool {
        try beginWriting()
        guard var stored = records.tokens[token.hash] else { return false }
        stored.replacedAt = token.replacedAt
        stored.successor = token.successor
        records.tokens[token.hash] = stored
        return true
    }

    /// Deletes a token.
    @discardableResult
    public func deleteOAuthToken(hash: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.tokens.removeValue(forKey: hash) != nil
    }

    /// Deletes expired tokens.
    @discardableResult
    public func deleteExpiredOAuthTokens(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.tokens.values.filter { $0.expiresAt < time }.prefix(max(0, limit))
        for token in expired { records.tokens[token.hash] = nil }
        return expired.count
    }

    // MARK: Keys of ID tokens

    /// Stores a key, or replaces the one with its ID.
    public func setIDTokenKey(_ key: IDTokenKey) throws {
        try beginWriting(key.id)
        records.idTokenKeys[Array(key.id.utf8)] = key
    }

    /// All keys, those that sign first before others.
    public func idTokenKeys() throws -> [IDTokenKey] {
        records.idTokenKeys.values.sorted { first, second in
            guard first.activeFrom == second.activeFrom else { return first.activeFrom < second.activeFrom }
            return Array(first.id.utf8).lexicographicallyPrecedes(Array(second.id.utf8))
        }
    }

    /// Deletes a key.
    @discardableResult
    public func deleteIDTokenKey(id: String) throws -> Bool {
        try beginWriting(id)
        return records.idTokenKeys.removeValue(forKey: Array(id.utf8)) != nil
    }
}
