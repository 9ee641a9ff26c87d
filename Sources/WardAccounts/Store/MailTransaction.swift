/// The calls of a transaction for e-mail: addresses of accounts, messages that wait to be sent, and the links in them.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol MailTransaction {
    /// The e-mail addresses of an account, or `nil` if it has none.
    func email(of account: AccountID) async throws -> AccountEmail?

    /// Stores the e-mail addresses of an account in place of earlier ones. A record without an address deletes them.
    ///
    /// They are deleted with their account.
    ///
    /// - Parameter email: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the record has an address and the account does not exist.
    func setEmail(_ email: AccountEmail) async throws

    /// Stores a message until it is sent.
    ///
    /// - Parameter mail: The record. Its account need not exist.
    /// - Throws: ``StoreError/Code/conflict`` if the ID is in use.
    func insert(_ mail: OutboxMail) async throws

    /// The message that has been due for the longest time.
    ///
    /// - Parameters:
    ///   - channel: The way on which it leaves.
    ///   - now: Seconds since 1970.
    /// - Returns: The message, or `nil` if none is due.
    /// - Throws: ``StoreError`` if the store failed.
    func dueMail(by channel: MessageAddress.Channel, at now: Int64) async throws -> OutboxMail?

    /// Sets a message's ``OutboxMail/attempts`` and ``OutboxMail/dueAt``.
    ///
    /// - Parameters:
    ///   - id: The message's ID.
    ///   - attempts: How often it was tried to send the message.
    ///   - time: When it is tried again.
    /// - Returns: Whether the message exists.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func postponeMail(id: [UInt8], attempts: Int64, until time: Int64) async throws -> Bool

    /// Deletes a message: it was sent, or will not be.
    ///
    /// - Parameter id: The message's ID.
    /// - Returns: Whether the message existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteMail(id: [UInt8]) async throws -> Bool

    /// The number of messages that wait for a way.
    func mailCount(by channel: MessageAddress.Channel) async throws -> Int

    /// Stores a link until it is used, expires, or its account is deleted.
    ///
    /// - Parameter link: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist; ``StoreError/Code/conflict`` if the token's
    ///   hash is in use.
    func insert(_ link: MailLink) async throws

    /// Finds a link by the hash of its token, even if it has expired: see ``MailLink/isExpired(at:)``.
    func mailLink(tokenHash: [UInt8]) async throws -> MailLink?

    /// Deletes a link.
    ///
    /// If several transactions delete the same link, only one that commits gets `true`.
    ///
    /// - Parameter tokenHash: The token's hash.
    /// - Returns: Whether the link existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteMailLink(tokenHash: [UInt8]) async throws -> Bool

    /// Deletes an account's links of one purpose.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - purpose: What the links do.
    /// - Returns: The number of deleted links.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteMailLinks(of account: AccountID, _ purpose: MailLink.Purpose) async throws -> Int

    /// Deletes expired links.
    ///
    /// - Parameters:
    ///   - time: Links that expired before this second are deleted.
    ///   - limit: The largest number of links to delete.
    /// - Returns: The number of deleted links.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredMailLinks(before time: Int64, limit: Int) async throws -> Int
}
