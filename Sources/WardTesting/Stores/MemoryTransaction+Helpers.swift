public import WardAccounts

extension MemoryTransaction {
    /// Stores a helper, in place of one with the same ID.
    public func setHelper(_ helper: RecoveryHelper) throws {
        try beginWriting(helper.name)
        guard records.helpers[helper.id].map({ $0.ownerID == helper.ownerID }) ?? true else {
            throw StoreError(.conflict)
        }
        guard records.accounts[helper.ownerID] != nil, helper.helperID.map({ records.accounts[$0] != nil }) ?? true
        else { throw StoreError(.accountNotFound) }
        records.helpers[helper.id] = helper
    }

    /// Finds a helper of any account.
    public func helper(id: [UInt8]) throws -> RecoveryHelper? {
        records.helpers[id]
    }

    /// The helpers of an account.
    public func helpers(of owner: AccountID) throws -> [RecoveryHelper] {
        Self.sorted(records.helpers.values.filter { $0.ownerID == owner })
    }

    /// The records in which an account is the helper.
    public func helped(by helper: AccountID) throws -> [RecoveryHelper] {
        Self.sorted(records.helpers.values.filter { $0.helperID == helper })
    }

    /// Deletes a helper.
    @discardableResult
    public func deleteHelper(id: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.helpers.removeValue(forKey: id) != nil
    }

    /// Stores an account's request for help, in place of an earlier one.
    public func setHelpRequest(_ request: HelpRequest) throws {
        try beginWriting()
        guard records.accounts[request.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.helpRequests[request.accountID] = request
    }

    /// The request for help of an account.
    public func helpRequest(of account: AccountID) throws -> HelpRequest? {
        records.helpRequests[account]
    }

    /// Deletes the request for help of an account.
    @discardableResult
    public func deleteHelpRequest(of account: AccountID) throws -> Bool {
        try beginWriting()
        return records.helpRequests.removeValue(forKey: account) != nil
    }

    /// Deletes expired requests for help.
    @discardableResult
    public func deleteExpiredHelpRequests(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.helpRequests.values.filter { $0.expiresAt < time }.prefix(limit)
        for request in expired { records.helpRequests[request.accountID] = nil }
        return expired.count
    }

    /// Forgets what a deleted account had to do with helpers.
    func removeHelpers(of account: AccountID) {
        records.helpRequests[account] = nil
        records.helpers = records.helpers.filter { $0.value.ownerID != account }.mapValues { helper in
            guard helper.helperID == account else { return helper }
            var left = helper
            left.helperID = nil
            return left
        }
    }

    private static func sorted(_ helpers: [RecoveryHelper]) -> [RecoveryHelper] {
        helpers.sorted { first, second in
            guard first.createdAt == second.createdAt else { return first.createdAt < second.createdAt }
            return first.id.lexicographicallyPrecedes(second.id)
        }
    }
}
