public import WardAccounts

extension SuspendingTransaction {
    /// Adds a client.
    public func insert(_ client: OAuthClient) async throws {
        try await afterwards { try base.insert(client) }
    }

    /// Finds a client by its ID.
    public func oauthClient(id: String) async throws -> OAuthClient? {
        try await afterwards { try base.oauthClient(id: id) }
    }

    /// All clients, in the order of their IDs compared as UTF-8.
    public func oauthClients() async throws -> [OAuthClient] {
        try await afterwards { try base.oauthClients() }
    }

    /// Replaces a client's values, except its ID and `OAuthClient/createdAt`.
    @discardableResult
    public func update(_ client: OAuthClient) async throws -> Bool {
        try await afterwards { try base.update(client) }
    }

    /// Deletes a client with its grants, their tokens, and what people allowed it.
    @discardableResult
    public func deleteOAuthClient(id: String) async throws -> Bool {
        try await afterwards { try base.deleteOAuthClient(id: id) }
    }

    /// Stores what a person allowed a client, in place of an earlier record.
    public func setOAuthConsent(_ consent: OAuthConsent) async throws {
        try await afterwards { try base.setOAuthConsent(consent) }
    }

    /// What a person allowed a client.
    public func oauthConsent(of account: AccountID, to client: String) async throws -> OAuthConsent? {
        try await afterwards { try base.oauthConsent(of: account, to: client) }
    }

    /// Forgets what a person allowed a client.
    @discardableResult
    public func deleteOAuthConsent(of account: AccountID, to client: String) async throws -> Bool {
        try await afterwards { try base.deleteOAuthConsent(of: account, to: client) }
    }

    /// Stores a grant.
    public func insert(_ grant: OAuthGrant) async throws {
        try await afterwards { try base.insert(grant) }
    }

    /// Finds a grant by the hash of its code, even if it has expired.
    public func oauthGrant(codeHash: [UInt8]) async throws -> OAuthGrant? {
        try await afterwards { try base.oauthGrant(codeHash: codeHash) }
    }

    /// Sets a grant's `OAuthGrant/codeUsedAt` and `OAuthGrant/expiresAt`.
    @discardableResult
    public func update(_ grant: OAuthGrant) async throws -> Bool {
        try await afterwards { try base.update(grant) }
    }

    /// Gives the grants of a session to another one, which takes its place.
    public func moveOAuthGrants(from session: SessionID, to successor: SessionID) async throws {
        try await afterwards { try base.moveOAuthGrants(from: session, to: successor) }
    }

    /// Deletes a grant with its tokens.
    @discardableResult
    public func deleteOAuthGrant(codeHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteOAuthGrant(codeHash: codeHash) }
    }

    /// Deletes expired grants with their tokens.
    @discardableResult
    public func deleteExpiredOAuthGrants(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredOAuthGrants(before: time, limit: limit) }
    }

    /// Stores a token.
    public func insert(_ token: OAuthToken) async throws {
        try await afterwards { try base.insert(token) }
    }

    /// Finds a token by its hash, even if it has expired: see `OAuthToken/isExpired(at:)`.
    public func oauthToken(hash: [UInt8]) async throws -> OAuthToken? {
        try await afterwards { try base.oauthToken(hash: hash) }
    }

    /// Sets a token's `OAuthToken/replacedAt` and `OAuthToken/successor`.
    @discardableResult
    public func update(_ token: OAuthToken) async throws -> Bool {
        try await afterwards { try base.update(token) }
    }

    /// Deletes a token.
    @discardableResult
    public func deleteOAuthToken(hash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteOAuthToken(hash: hash) }
    }

    /// Deletes expired tokens.
    @discardableResult
    public func deleteExpiredOAuthTokens(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredOAuthTokens(before: time, limit: limit) }
    }

    /// Stores the wish of a device.
    public func insert(_ device: DeviceAuthorization) async throws {
        try await afterwards { try base.insert(device) }
    }

    /// Finds a device's wish by the hash of its device code, even if it has expired.
    public func deviceAuthorization(deviceHash: [UInt8]) async throws -> DeviceAuthorization? {
        try await afterwards { try base.deviceAuthorization(deviceHash: deviceHash) }
    }

    /// Finds a device's wish by the hash of its user code, even if it has expired.
    public func deviceAuthorization(userHash: [UInt8]) async throws -> DeviceAuthorization? {
        try await afterwards { try base.deviceAuthorization(userHash: userHash) }
    }

    /// Sets how the device polls, and what the person answered.
    @discardableResult
    public func update(_ device: DeviceAuthorization) async throws -> Bool {
        try await afterwards { try base.update(device) }
    }

    /// Deletes a device's wish.
    @discardableResult
    public func deleteDeviceAuthorization(deviceHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteDeviceAuthorization(deviceHash: deviceHash) }
    }

    /// Deletes expired wishes of devices.
    @discardableResult
    public func deleteExpiredDeviceAuthorizations(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredDeviceAuthorizations(before: time, limit: limit) }
    }

    /// Stores a key, or replaces the one with its ID.
    public func setIDTokenKey(_ key: IDTokenKey) async throws {
        try await afterwards { try base.setIDTokenKey(key) }
    }

    /// All keys, those that sign first before others.
    public func idTokenKeys() async throws -> [IDTokenKey] {
        try await afterwards { try base.idTokenKeys() }
    }

    /// Deletes a key.
    @discardableResult
    public func deleteIDTokenKey(id: String) async throws -> Bool {
        try await afterwards { try base.deleteIDTokenKey(id: id) }
    }
}
