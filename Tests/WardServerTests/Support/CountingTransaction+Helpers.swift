import WardAccounts

extension CountingTransaction {
    func setHelper(_ helper: RecoveryHelper) async throws {
        try await noting { try await base.setHelper(helper) }
    }
    func helper(id: [UInt8]) async throws -> RecoveryHelper? {
        try await noting { try await base.helper(id: id) }
    }
    func helpers(of owner: AccountID) async throws -> [RecoveryHelper] {
        try await noting { try await base.helpers(of: owner) }
    }
    func helped(by helper: AccountID) async throws -> [RecoveryHelper] {
        try await noting { try await base.helped(by: helper) }
    }
    func deleteHelper(id: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteHelper(id: id) }
    }
    func setHelpRequest(_ request: HelpRequest) async throws {
        try await noting { try await base.setHelpRequest(request) }
    }
    func helpRequest(of account: AccountID) async throws -> HelpRequest? {
        try await noting { try await base.helpRequest(of: account) }
    }
    func deleteHelpRequest(of account: AccountID) async throws -> Bool {
        try await noting { try await base.deleteHelpRequest(of: account) }
    }
    func deleteExpiredHelpRequests(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredHelpRequests(before: time, limit: limit) }
    }
}
