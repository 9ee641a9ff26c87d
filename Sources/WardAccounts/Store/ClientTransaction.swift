/// The calls of a transaction for the clients of OpenID Connect: clients, what people agreed to, grants, tokens, devices without
/// a browser, and the keys of ID tokens.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol ClientTransaction {
    // MARK: Clients of OpenID Connect

    /// Adds a client.
    ///
    /// - Parameter client: The record.
    /// - Throws: ``StoreError/Code/conflict`` if its ID is in use.
    func insert(_ client: OAuthClient) async throws

    /// Finds a client by its ID.
    func oauthClient(id: String) async throws -> OAuthClient?

    /// All clients, in the order of their IDs compared as UTF-8.
    func oauthClients() async throws -> [OAuthClient]

    /// Replaces a client's values, except its ID and ``OAuthClient/createdAt``.
    ///
    /// - Parameter client: The record, found by its ID.
    /// - Returns: Whether the client exists; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func update(_ client: OAuthClient) async throws -> Bool

    /// Deletes a client with its grants, their tokens, its devices, and what people allowed it.
    ///
    /// - Parameter id: The client's ID.
    /// - Returns: Whether the client existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteOAuthClient(id: String) async throws -> Bool

    /// Stores what a person allowed a client, in place of an earlier record.
    ///
    /// - Parameter consent: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account or the client does not exist.
    func setOAuthConsent(_ consent: OAuthConsent) async throws

    /// What a person allowed a client.
    func oauthConsent(of account: AccountID, to client: String) async throws -> OAuthConsent?

    /// Forgets what a person allowed a client.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - client: The client's ID.
    /// - Returns: Whether there was something to forget.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteOAuthConsent(of account: AccountID, to client: String) async throws -> Bool

    // MARK: Grants and tokens

    /// Stores a grant.
    ///
    /// It ends, with its tokens, in the transaction that ends its session or deletes its client.
    ///
    /// - Parameter grant: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the session or the client does not exist;
    ///   ``StoreError/Code/conflict`` if the code's hash is in use.
    func insert(_ grant: OAuthGrant) async throws

    /// Finds a grant by the hash of its code, even if it has expired.
    func oauthGrant(codeHash: [UInt8]) async throws -> OAuthGrant?

    /// Sets a grant's ``OAuthGrant/codeUsedAt`` and ``OAuthGrant/expiresAt``.
    ///
    /// - Parameter grant: The record, found by the hash of its code.
    /// - Returns: Whether the grant exists; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func update(_ grant: OAuthGrant) async throws -> Bool

    /// Gives the grants of a session to another one, which takes its place.
    ///
    /// - Parameters:
    ///   - session: The session that ends.
    ///   - successor: The session of the same account and browser that begins.
    /// - Throws: ``StoreError/Code/accountNotFound`` if there are grants and the other session does not exist.
    func moveOAuthGrants(from session: SessionID, to successor: SessionID) async throws

    /// Deletes a grant with its tokens.
    ///
    /// - Parameter codeHash: The hash of its code.
    /// - Returns: Whether the grant existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteOAuthGrant(codeHash: [UInt8]) async throws -> Bool

    /// Deletes expired grants with their tokens.
    ///
    /// - Parameters:
    ///   - time: Grants that expired before this second are deleted.
    ///   - limit: The largest number of grants to delete.
    /// - Returns: The number of deleted grants.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredOAuthGrants(before time: Int64, limit: Int) async throws -> Int

    /// Stores a token.
    ///
    /// - Parameter token: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the grant does not exist; ``StoreError/Code/conflict`` if the hash is in
    ///   use.
    func insert(_ token: OAuthToken) async throws

    /// Finds a token by its hash, even if it has expired: see ``OAuthToken/isExpired(at:)``.
    func oauthToken(hash: [UInt8]) async throws -> OAuthToken?

    /// Sets a token's ``OAuthToken/replacedAt`` and ``OAuthToken/successor``.
    ///
    /// - Parameter token: The record, found by its hash.
    /// - Returns: Whether the token exists; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func update(_ token: OAuthToken) async throws -> Bool

    /// Deletes a token.
    ///
    /// - Parameter hash: The token's hash.
    /// - Returns: Whether the token existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteOAuthToken(hash: [UInt8]) async throws -> Bool

    /// Deletes expired tokens.
    ///
    /// - Parameters:
    ///   - time: Tokens that expired before this second are deleted.
    ///   - limit: The largest number of tokens to delete.
    /// - Returns: The number of deleted tokens.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredOAuthTokens(before time: Int64, limit: Int) async throws -> Int

    // MARK: Devices without a browser

    /// Stores the wish of a device.
    ///
    /// It ends in the transaction that deletes its client, or ends the session that allowed it.
    ///
    /// - Parameter device: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the client or the session does not exist;
    ///   ``StoreError/Code/conflict`` if the hash of one of its codes is in use.
    func insert(_ device: DeviceAuthorization) async throws

    /// Finds a device's wish by the hash of its device code, even if it has expired.
    func deviceAuthorization(deviceHash: [UInt8]) async throws -> DeviceAuthorization?

    /// Finds a device's wish by the hash of its user code, even if it has expired.
    func deviceAuthorization(userHash: [UInt8]) async throws -> DeviceAuthorization?

    /// Sets a wish's ``DeviceAuthorization/interval``, ``DeviceAuthorization/polledAt`` and ``DeviceAuthorization/answer``.
    ///
    /// - Parameter device: The record, found by the hash of its device code.
    /// - Returns: Whether it exists; if not, nothing is written.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the session does not exist.
    @discardableResult
    func update(_ device: DeviceAuthorization) async throws -> Bool

    /// Deletes a device's wish.
    ///
    /// - Parameter deviceHash: The hash of its device code.
    /// - Returns: Whether it existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteDeviceAuthorization(deviceHash: [UInt8]) async throws -> Bool

    /// Deletes expired wishes of devices.
    ///
    /// - Parameters:
    ///   - time: Wishes that expired before this second are deleted.
    ///   - limit: The largest number of wishes to delete.
    /// - Returns: The number of deleted wishes.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredDeviceAuthorizations(before time: Int64, limit: Int) async throws -> Int

    // MARK: Keys of ID tokens

    /// Stores a key, or replaces the one with its ID.
    func setIDTokenKey(_ key: IDTokenKey) async throws

    /// All keys, those that sign first before others.
    func idTokenKeys() async throws -> [IDTokenKey]

    /// Deletes a key.
    ///
    /// - Parameter id: The key's ID.
    /// - Returns: Whether the key existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteIDTokenKey(id: String) async throws -> Bool
}
