/// The calls of a transaction for people who help with a recovery.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol HelperTransaction {
    /// Stores a helper, in place of one with the same ID. It is deleted with the owner's account.
    ///
    /// When the helper's account is deleted, the record stays without ``RecoveryHelper/helperID``.
    ///
    /// - Parameter helper: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if one of the accounts does not exist; ``StoreError/Code/conflict`` if another
    ///   account has a helper with this ID.
    func setHelper(_ helper: RecoveryHelper) async throws

    /// Finds a helper of any account.
    ///
    /// The caller must compare ``RecoveryHelper/ownerID`` or ``RecoveryHelper/helperID``.
    ///
    /// - Parameter id: ``RecoveryHelper/id``, of any length and content.
    /// - Returns: The record, or `nil` if there is none.
    /// - Throws: ``StoreError`` if the store failed.
    func helper(id: [UInt8]) async throws -> RecoveryHelper?

    /// The helpers of an account, oldest first; those of the same second in the order of their IDs.
    func helpers(of owner: AccountID) async throws -> [RecoveryHelper]

    /// The records in which an account is the helper, oldest first; those of the same second in the order of their IDs.
    func helped(by helper: AccountID) async throws -> [RecoveryHelper]

    /// Deletes a helper.
    ///
    /// If several transactions delete the same helper, only one that commits gets `true`.
    ///
    /// - Parameter id: ``RecoveryHelper/id``.
    /// - Returns: Whether there was one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteHelper(id: [UInt8]) async throws -> Bool

    /// Stores an account's request for help, in place of an earlier one. It is deleted with its account.
    ///
    /// - Parameter request: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist.
    func setHelpRequest(_ request: HelpRequest) async throws

    /// The request for help of an account, even if it has expired; `nil` if there is none.
    func helpRequest(of account: AccountID) async throws -> HelpRequest?

    /// Deletes the request for help of an account.
    ///
    /// - Parameter account: The ID of the account.
    /// - Returns: Whether there was one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteHelpRequest(of account: AccountID) async throws -> Bool

    /// Deletes requests for help that expired before a time.
    ///
    /// - Parameters:
    ///   - time: Unix time in seconds.
    ///   - limit: The maximum number of deletions.
    /// - Returns: The number of deleted requests.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredHelpRequests(before time: Int64, limit: Int) async throws -> Int
}
