public import WardAccounts

extension MemoryTransaction {
    /// All factors of an account.
    public func factors(of account: AccountID) throws -> [FactorRecord] {
        records.factors.values.filter { $0.accountID == account }.sorted { first, second in
            let (one, other) = (Array(first.kind.rawValue.utf8), Array(second.kind.rawValue.utf8))
            guard one == other else { return one.lexicographicallyPrecedes(other) }
            return first.key.lexicographicallyPrecedes(second.key)
        }
    }

    /// Finds a factor of any account.
    public func factor(_ kind: FactorRecord.Kind, key: [UInt8]) throws -> FactorRecord? {
        records.factors[FactorPlace(kind, key)]
    }

    /// Stores a factor, in place of one with the same kind and key.
    public func setFactor(_ factor: FactorRecord) throws {
        try beginWriting(factor.kind.rawValue)
        guard records.accounts[factor.accountID] != nil else { throw StoreError(.accountNotFound) }
        let place = FactorPlace(factor.kind, factor.key)
        guard records.factors[place].map({ $0.accountID == factor.accountID }) ?? true else {
            throw StoreError(.conflict)
        }
        records.factors[place] = factor
    }

    /// Deletes a factor if the account has it.
    @discardableResult
    public func deleteFactor(_ kind: FactorRecord.Kind, key: [UInt8], of account: AccountID) throws -> Bool {
        try beginWriting()
        guard records.factors[FactorPlace(kind, key)]?.accountID == account else { return false }
        records.factors[FactorPlace(kind, key)] = nil
        return true
    }

    /// Deletes all factors of one kind of an account.
    @discardableResult
    public func deleteFactors(_ kind: FactorRecord.Kind, of account: AccountID) throws -> Int {
        try beginWriting()
        let before = records.factors.count
        records.factors = records.factors.filter {
            $0.value.accountID != account || $0.key.kind != Array(kind.rawValue.utf8)
        }
        return before - records.factors.count
    }
}

/// What finds a factor.
///
/// The kind is compared byte by byte, as databases do.
struct FactorPlace: Hashable {
    let kind: [UInt8]
    let key: [UInt8]

    init(_ kind: FactorRecord.Kind, _ key: [UInt8]) {
        self.kind = Array(kind.rawValue.utf8)
        self.key = key
    }
}
