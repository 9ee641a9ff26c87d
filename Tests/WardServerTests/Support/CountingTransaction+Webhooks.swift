import WardAccounts

extension CountingTransaction {
    func webhookPosition() async throws -> Int64? {
        try await noting { try await base.webhookPosition() }
    }
    func setWebhookPosition(_ number: Int64?) async throws {
        try await noting { try await base.setWebhookPosition(number) }
    }
    func insert(_ webhook: OutboxWebhook) async throws {
        try await noting { try await base.insert(webhook) }
    }
    func dueWebhook(at now: Int64) async throws -> OutboxWebhook? {
        try await noting { try await base.dueWebhook(at: now) }
    }
    func postponeWebhook(number: Int64, attempts: Int64, until time: Int64) async throws -> Bool {
        try await noting { try await base.postponeWebhook(number: number, attempts: attempts, until: time) }
    }
    func deleteWebhook(number: Int64) async throws -> Bool {
        try await noting { try await base.deleteWebhook(number: number) }
    }
    func webhookCount() async throws -> Int {
        try await noting { try await base.webhookCount() }
    }
}
