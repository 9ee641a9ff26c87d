import WardAccounts

extension CountingTransaction {
    func insert(_ client: OAuthClient) async throws {
        try await noting { try await base.insert(client) }
    }
    func oauthClient(id: String) async throws -> OAuthClient? {
        try await noting { try await base.oauthClient(id: id) }
    }
    func oauthClients() async throws -> [OAuthClient] {
        // Sweeping asks this too, and it comes at any time.
        try await base.oauthClients()
    }
    func update(_ client: OAuthClient) async throws -> Bool {
        try await noting { try await base.update(client) }
    }
    func deleteOAuthClient(id: String) async throws -> Bool {
        try await noting { try await base.deleteOAuthClient(id: id) }
    }
    func setOAuthConsent(_ consent: OAuthConsent) async throws {
        try await noting { try await base.setOAuthConsent(consent) }
    }
    func oauthConsent(of account: AccountID, to client: String) async throws -> OAuthConsent? {
        try await noting { try await base.oauthConsent(of: account, to: client) }
    }
    func deleteOAuthConsent(of account: AccountID, to client: String) async throws -> Bool {
        try await noting { try await base.deleteOAuthConsent(of: account, to: client) }
    }
    func insert(_ grant: OAuthGrant) async throws {
        try await noting { try await base.insert(grant) }
    }
    func oauthGrant(codeHash: [UInt8]) async throws -> OAuthGrant? {
        try await noting { try await base.oauthGrant(codeHash: codeHash) }
    }
    func update(_ grant: OAuthGrant) async throws -> Bool {
        try await noting { try await base.update(grant) }
    }
    func moveOAuthGrants(from session: SessionID, to successor: SessionID) async throws {
        try await noting { try await base.moveOAuthGrants(from: session, to: successor) }
    }
    func deleteOAuthGrant(codeHash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteOAuthGrant(codeHash: codeHash) }
    }
    func deleteExpiredOAuthGrants(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredOAuthGrants(before: time, limit: limit) }
    }
    func insert(_ token: OAuthToken) async throws {
        try await noting { try await base.insert(token) }
    }
    func oauthToken(hash: [UInt8]) async throws -> OAuthToken? {
        try await noting { try await base.oauthToken(hash: hash) }
    }
    func update(_ token: OAuthToken) async throws -> Bool {
        try await noting { try await base.update(token) }
    }
    func deleteOAuthToken(hash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteOAuthToken(hash: hash) }
    }
    func deleteExpiredOAuthTokens(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredOAuthTokens(before: time, limit: limit) }
    }
    func insert(_ device: DeviceAuthorization) async throws {
        try await noting { try await base.insert(device) }
    }
    func deviceAuthorization(deviceHash: [UInt8]) async throws -> DeviceAuthorization? {
        try await noting { try await base.deviceAuthorization(deviceHash: deviceHash) }
    }
    func deviceAuthorization(userHash: [UInt8]) async throws -> DeviceAuthorization? {
        try await noting { try await base.deviceAuthorization(userHash: userHash) }
    }
    func update(_ device: DeviceAuthorization) async throws -> Bool {
        try await noting { try await base.update(device) }
    }
    func deleteDeviceAuthorization(deviceHash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteDeviceAuthorization(deviceHash: deviceHash) }
    }
    func deleteExpiredDeviceAuthorizations(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredDeviceAuthorizations(before: time, limit: limit) }
    }
    func setIDTokenKey(_ key: IDTokenKey) async throws {
        try await noting { try await base.setIDTokenKey(key) }
    }
    func idTokenKeys() async throws -> [IDTokenKey] {
        // Sweeping asks this too.
        try await base.idTokenKeys()
    }
    func deleteIDTokenKey(id: String) async throws -> Bool {
        try await noting { try await base.deleteIDTokenKey(id: id) }
    }
}
