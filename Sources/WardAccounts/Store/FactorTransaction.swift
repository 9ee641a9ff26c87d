/// The calls of a transaction for what proves an owner beside passkeys and the password.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol FactorTransaction {
    /// All factors of an account, confirmed or not, in the order of their kinds' words and then of their keys.
    func factors(of account: AccountID) async throws -> [FactorRecord]

    /// Finds a factor of any account.
    ///
    /// The caller must compare ``FactorRecord/accountID``.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - key: ``FactorRecord/key``, of any length and content.
    /// - Returns: The record, or `nil` if there is none.
    /// - Throws: ``StoreError`` if the store failed.
    func factor(_ kind: FactorRecord.Kind, key: [UInt8]) async throws -> FactorRecord?

    /// Stores a factor, in place of one with the same kind and key. It is deleted with its account.
    ///
    /// - Parameter factor: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist; ``StoreError/Code/conflict`` if another
    ///   account has a factor with this kind and key.
    func setFactor(_ factor: FactorRecord) async throws

    /// Deletes a factor if the account has it.
    ///
    /// If several transactions delete the same factor, only one that commits gets `true`.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - key: ``FactorRecord/key``.
    ///   - account: The ID of the account.
    /// - Returns: Whether the account had it.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteFactor(_ kind: FactorRecord.Kind, key: [UInt8], of account: AccountID) async throws -> Bool

    /// Deletes all factors of one kind of an account.
    ///
    /// - Parameters:
    ///   - kind: What they are.
    ///   - account: The ID of the account.
    /// - Returns: How many there were.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteFactors(_ kind: FactorRecord.Kind, of account: AccountID) async throws -> Int
}
