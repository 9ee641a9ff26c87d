public import WardAccounts

extension MemoryTransaction {
    /// The row of the audit log up to which webhooks are made.
    public func webhookPosition() throws -> Int64? { records.webhookPosition }

    /// Sets the row of the audit log up to which webhooks are made.
    public func setWebhookPosition(_ number: Int64?) throws {
        try beginWriting()
        records.webhookPosition = number
    }

    /// Stores a webhook until it is delivered.
    public func insert(_ webhook: OutboxWebhook) throws {
        try beginWriting(webhook.id, webhook.kind.rawValue, webhook.body)
        guard records.webhooks[webhook.number] == nil else { throw StoreError(.conflict) }
        records.webhooks[webhook.number] = webhook
    }

    /// The webhook that has been due for the longest time, of those that are the first of their account.
    public func dueWebhook(at now: Int64) throws -> OutboxWebhook? {
        let firsts = Dictionary(grouping: records.webhooks.values, by: \.accountID).values
            .compactMap { webhooks in webhooks.min { $0.number < $1.number } }
        return firsts.filter { $0.dueAt <= now }.min { ($0.dueAt, $0.number) < ($1.dueAt, $1.number) }
    }

    /// Sets the number of tries of a webhook, and the time of the next one.
    @discardableResult
    public func postponeWebhook(number: Int64, attempts: Int64, until time: Int64) throws -> Bool {
        try beginWriting()
        guard var webhook = records.webhooks[number] else { return false }
        (webhook.attempts, webhook.dueAt) = (attempts, time)
        records.webhooks[number] = webhook
        return true
    }

    /// Deletes a webhook.
    @discardableResult
    public func deleteWebhook(number: Int64) throws -> Bool {
        try beginWriting()
        return records.webhooks.removeValue(forKey: number) != nil
    }

    /// The number of webhooks that wait.
    public func webhookCount() throws -> Int { records.webhooks.count }
}
