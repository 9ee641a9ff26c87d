import WardAccounts

extension CountingTransaction {
    func factors(of account: AccountID) async throws -> [FactorRecord] {
        try await noting { try await base.factors(of: account) }
    }
    func factor(_ kind: FactorRecord.Kind, key: [UInt8]) async throws -> FactorRecord? {
        try await noting { try await base.factor(kind, key: key) }
    }
    func setFactor(_ factor: FactorRecord) async throws {
        try await noting { try await base.setFactor(factor) }
    }
    func deleteFactor(_ kind: FactorRecord.Kind, key: [UInt8], of account: AccountID) async throws -> Bool {
        try await noting { try await base.deleteFactor(kind, key: key, of: account) }
    }
    func deleteFactors(_ kind: FactorRecord.Kind, of account: AccountID) async throws -> Int {
        try await noting { try await base.deleteFactors(kind, of: account) }
    }
}
