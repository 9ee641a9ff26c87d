/// The calls of a transaction for webhooks: the place in the audit log up to which they are made, and those that wait.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol WebhookTransaction {
    /// The number of the last row of the audit log for which a webhook was made or left out, or `nil` if the service has none.
    func webhookPosition() async throws -> Int64?

    /// Sets the place up to which webhooks are made.
    ///
    /// - Parameter number: The number of a row of the audit log; `nil` if the service has no webhooks. Then those that wait stay.
    /// - Throws: ``StoreError`` if the store failed.
    func setWebhookPosition(_ number: Int64?) async throws

    /// Stores a webhook until it is delivered.
    ///
    /// - Parameter webhook: The record. Its account need not exist.
    /// - Throws: ``StoreError/Code/conflict`` if the number is in use.
    func insert(_ webhook: OutboxWebhook) async throws

    /// The webhook that has been due for the longest time, of those that are the first of their account.
    ///
    /// A webhook that waits holds back all later ones of its account, even if it is not due. Those without an account are
    /// ordered among themselves in the same way.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The webhook, or `nil` if none is due.
    /// - Throws: ``StoreError`` if the store failed.
    func dueWebhook(at now: Int64) async throws -> OutboxWebhook?

    /// Sets a webhook's ``OutboxWebhook/attempts`` and ``OutboxWebhook/dueAt``.
    ///
    /// - Parameters:
    ///   - number: The webhook's number.
    ///   - attempts: How often it was tried to deliver the webhook.
    ///   - time: When it is tried again.
    /// - Returns: Whether the webhook exists.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func postponeWebhook(number: Int64, attempts: Int64, until time: Int64) async throws -> Bool

    /// Deletes a webhook: it was delivered, or will not be.
    ///
    /// - Parameter number: The webhook's number.
    /// - Returns: Whether the webhook existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteWebhook(number: Int64) async throws -> Bool

    /// The number of webhooks that wait.
    func webhookCount() async throws -> Int
}
