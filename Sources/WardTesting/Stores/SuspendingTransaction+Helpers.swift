public import WardAccounts

extension SuspendingTransaction {
    /// Stores a helper, in place of one with the same ID.
    public func setHelper(_ helper: RecoveryHelper) async throws {
        try await afterwards { try base.setHelper(helper) }
    }

    /// Finds a helper of any account.
    public func helper(id: [UInt8]) async throws -> RecoveryHelper? {
        try await afterwards { try base.helper(id: id) }
    }

    /// The helpers of an account.
    public func helpers(of owner: AccountID) async throws -> [RecoveryHelper] {
        try await afterwards { try base.helpers(of: owner) }
    }

    /// The records in which an account is the helper.
    public func helped(by helper: AccountID) async throws -> [RecoveryHelper] {
        try await afterwards { try base.helped(by: helper) }
    }

    /// Deletes a helper.
    @discardableResult
    public func deleteHelper(id: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteHelper(id: id) }
    }

    /// Stores an account's request for help, in place of an earlier one.
    public func setHelpRequest(_ request: HelpRequest) async throws {
        try await afterwards { try base.setHelpRequest(request) }
    }

    /// The request for help of an account.
    public func helpRequest(of account: AccountID) async throws -> HelpRequest? {
        try await afterwards { try base.helpRequest(of: account) }
    }

    /// Deletes the request for help of an account.
    @discardableResult
    public func deleteHelpRequest(of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteHelpRequest(of: account) }
    }

    /// Deletes expired requests for help.
    @discardableResult
    public func deleteExpiredHelpRequests(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredHelpRequests(before: time, limit: limit) }
    }
}
