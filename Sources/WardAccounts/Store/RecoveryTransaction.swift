/// The calls of a transaction for recovery links.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol RecoveryTransaction {
    /// Stores an account's recovery link, in place of one from the same source.
    ///
    /// - Parameter link: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist; ``StoreError/Code/conflict`` if another
    ///   account's link has the token's hash.
    func setRecoveryLink(_ link: RecoveryLink) async throws

    /// Finds a recovery link by the hash of its token, even if it has expired: see ``RecoveryLink/isExpired(at:)``.
    func recoveryLink(tokenHash: [UInt8]) async throws -> RecoveryLink?

    /// The recovery links of an account, in the order of their sources' words.
    func recoveryLinks(of account: AccountID) async throws -> [RecoveryLink]

    /// Deletes an account's recovery link.
    ///
    /// If several transactions delete the same link, only one that commits gets `true`.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - source: Who made the link.
    /// - Returns: Whether the account had one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteRecoveryLink(of account: AccountID, from source: RecoveryLink.Source) async throws -> Bool
}
