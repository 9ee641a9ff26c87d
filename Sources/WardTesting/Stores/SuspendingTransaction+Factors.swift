public import WardAccounts

extension SuspendingTransaction {
    /// All factors of an account.
    public func factors(of account: AccountID) async throws -> [FactorRecord] {
        try await afterwards { try base.factors(of: account) }
    }

    /// Finds a factor of any account.
    public func factor(_ kind: FactorRecord.Kind, key: [UInt8]) async throws -> FactorRecord? {
        try await afterwards { try base.factor(kind, key: key) }
    }

    /// Stores a factor, in place of one with the same kind and key.
    public func setFactor(_ factor: FactorRecord) async throws {
        try await afterwards { try base.setFactor(factor) }
    }

    /// Deletes a factor if the account has it.
    @discardableResult
    public func deleteFactor(_ kind: FactorRecord.Kind, key: [UInt8], of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteFactor(kind, key: key, of: account) }
    }

    /// Deletes all factors of one kind of an account.
    @discardableResult
    public func deleteFactors(_ kind: FactorRecord.Kind, of account: AccountID) async throws -> Int {
        try await afterwards { try base.deleteFactors(kind, of: account) }
    }
}
