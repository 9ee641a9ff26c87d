public import WardAccounts

extension SuspendingTransaction {
    /// The row of the audit log up to which webhooks are made.
    public func webhookPosition() async throws -> Int64? {
        try await afterwards { try base.webhookPosition() }
    }

    /// Sets the row of the audit log up to which webhooks are made.
    public func setWebhookPosition(_ number: Int64?) async throws {
        try await afterwards { try base.setWebhookPosition(number) }
    }

    /// Stores a webhook until it is delivered.
    public func insert(_ webhook: OutboxWebhook) async throws {
        try await afterwards { try base.insert(webhook) }
    }

    /// The webhook that has been due for the longest time, of those that are the first of their account.
    public func dueWebhook(at now: Int64) async throws -> OutboxWebhook? {
        try await afterwards { try base.dueWebhook(at: now) }
    }

    /// Sets the number of tries of a webhook, and the time of the next one.
    @discardableResult
    public func postponeWebhook(number: Int64, attempts: Int64, until time: Int64) async throws -> Bool {
        try await afterwards { try base.postponeWebhook(number: number, attempts: attempts, until: time) }
    }

    /// Deletes a webhook.
    @discardableResult
    public func deleteWebhook(number: Int64) async throws -> Bool {
        try await afterwards { try base.deleteWebhook(number: number) }
    }

    /// The number of webhooks that wait.
    public func webhookCount() async throws -> Int {
        try await afterwards { try base.webhookCount() }
    }
}
