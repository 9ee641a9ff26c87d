public import WardAccounts

extension MemoryTransaction {
    /// Stores a new token of the admin API.
    public func insert(_ token: AdminToken) throws {
        try beginWriting(token.name)
        guard records.adminTokens[token.tokenHash] == nil else { throw StoreError(.conflict) }
        records.adminTokens[token.tokenHash] = token
    }

    /// Finds a token of the admin API by its hash.
    public func adminToken(tokenHash: [UInt8]) throws -> AdminToken? { records.adminTokens[tokenHash] }

    /// All tokens of the admin API, oldest first.
    public func adminTokens() throws -> [AdminToken] {
        records.adminTokens.values.sorted {
            ($0.createdAt, $0.id) < ($1.createdAt, $1.id)
        }
    }

    /// Deletes a token of the admin API.
    @discardableResult
    public func deleteAdminToken(tokenHash: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.adminTokens.removeValue(forKey: tokenHash) != nil
    }

    /// Notes the use of a token of the admin API.
    @discardableResult
    public func touchAdminToken(tokenHash: [UInt8], lastUsedAt: Int64) throws -> Bool {
        try beginWriting()
        guard records.adminTokens[tokenHash] != nil else { return false }
        records.adminTokens[tokenHash]?.lastUsedAt = lastUsedAt
        return true
    }

    /// How many records the store has.
    public func recordCounts() throws -> RecordCounts {
        RecordCounts(
            accounts: records.accounts.count,
            disabledAccounts: records.accounts.values.count { $0.disabledAt != nil },
            passkeys: records.passkeys.count,
            passwords: records.passwords.count,
            sessions: records.sessions.count
        )
    }
}
