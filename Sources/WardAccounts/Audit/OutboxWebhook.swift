/// A webhook that waits to be delivered: one row of the audit log, as the receiver gets it.
///
/// It stays when its account is deleted. Times are seconds since 1970.
public struct OutboxWebhook: Hashable, Sendable {
    /// The number of the row in the audit log.
    ///
    /// Webhooks of one account are delivered in the order of their numbers.
    public var number: Int64
    /// The webhook's ID, which is the same at each try.
    public var id: String
    /// The account of the event, or `nil` if there is none.
    public var accountID: AccountID?
    /// What happened: ``AuditEvent/kind``.
    public var kind: AuditEvent.Kind
    /// The body of the request, which is the same at each try.
    public var body: String
    /// When it happened.
    public var createdAt: Int64
    /// How often it was tried to deliver the webhook.
    public var attempts: Int64
    /// When it is tried to deliver the webhook, or tried again.
    public var dueAt: Int64

    /// Creates a record.
    public init(
        number: Int64,
        id: String,
        accountID: AccountID?,
        kind: AuditEvent.Kind,
        body: String,
        createdAt: Int64,
        attempts: Int64 = 0,
        dueAt: Int64
    ) {
        self.number = number
        self.id = id
        self.accountID = accountID
        self.kind = kind
        self.body = body
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
    }
}
