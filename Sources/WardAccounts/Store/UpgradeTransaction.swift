/// The calls of a transaction for the way from passwords to passkeys: daily counts, offers, and the use of passwords.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol UpgradeTransaction {
    /// Adds one to the count of a day.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - day: ``UpgradeCount/day``.
    /// - Throws: ``StoreError`` if the store failed.
    func countUpgrade(_ kind: UpgradeCount.Kind, on day: Int64) async throws

    /// The daily counts from a day on, in the order of their days and then of their kinds' words.
    ///
    /// - Parameter day: The first ``UpgradeCount/day``.
    /// - Returns: The counts. A day on which nothing happened has none.
    /// - Throws: ``StoreError`` if the store failed.
    func upgradeCounts(since day: Int64) async throws -> [UpgradeCount]

    /// Deletes old daily counts.
    ///
    /// - Parameters:
    ///   - day: Counts of earlier days are deleted.
    ///   - limit: The largest number of counts to delete.
    /// - Returns: The number of deleted counts.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteUpgradeCounts(before day: Int64, limit: Int) async throws -> Int

    /// The last offer to an account, or `nil` if there was none.
    func offer(to account: AccountID) async throws -> OfferRecord?

    /// Stores the last offer to an account, in place of an earlier one. It is deleted with its account.
    ///
    /// - Parameter offer: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist.
    func setOffer(_ offer: OfferRecord) async throws

    /// Notes that an account's password was right in a sign-in. The time never moves back.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - lastUsedAt: Seconds since 1970.
    /// - Returns: Whether the account has a password.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func touchPassword(of account: AccountID, lastUsedAt: Int64) async throws -> Bool

    /// The number of accounts whose password was neither used nor chosen since a time, but one of their passkeys was used.
    ///
    /// The cost may grow with the number of passwords.
    ///
    /// - Parameter time: Seconds since 1970.
    /// - Returns: The number.
    /// - Throws: ``StoreError`` if the store failed.
    func unusedPasswordCount(since time: Int64) async throws -> Int

    /// Whether an account is one of those that ``unusedPasswordCount(since:)`` counts.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - time: Seconds since 1970.
    /// - Returns: Whether it has a password that nobody uses.
    /// - Throws: ``StoreError`` if the store failed.
    func hasUnusedPassword(_ account: AccountID, since time: Int64) async throws -> Bool
}
