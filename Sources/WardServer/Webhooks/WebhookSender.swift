package import Logging
package import WardAccounts
package import WardWebAuthn

/// Makes webhooks from the audit log and delivers them, those of one account in order.
///
/// A webhook is deleted from the store only after it was delivered. So if the process ends in between, the webhook is
/// delivered again, with the same ID.
package struct WebhookSender<Store: AccountStore>: OutboxSender {
    /// How long a webhook belongs to the process that delivers it, in seconds: longer than a try lasts.
    package static var lease: Int64 { 2 * WebhookDelivery.timeout }
    /// A receiver that is slow for one account delays others only if there are as many.
    package static var width: Int { 8 }

    private let store: Store
    private let route: WebhookRoute
    private let delivery: WebhookDelivery
    private let effects: Effects
    private let receiver = WebhookReceiver()
    package let interval: Duration
    package let report: OutboxReport

    /// - Parameters:
    ///   - store: The audit log, and where the webhooks wait.
    ///   - route: Which events are sent.
    ///   - delivery: The way on which they leave.
    ///   - effects: The clock.
    ///   - metrics: Counts webhooks.
    ///   - interval: How often the store is asked while no webhook is due.
    ///   - logger: Logs what was delivered and what was not, without addresses.
    package init(
        _ store: Store,
        _ route: WebhookRoute,
        _ delivery: WebhookDelivery,
        effects: Effects,
        metrics: ServiceMetrics?,
        every interval: Duration = .milliseconds(500),
        logger: Logger
    ) {
        self.store = store
        self.route = route
        self.delivery = delivery
        self.effects = effects
        self.interval = interval
        report = OutboxReport(.webhook, metrics, logger)
    }

    package func next() async throws -> OutboxTurn<OutboxWebhook> {
        let now = effects.now()
        try await WebhookOutbox.fill(store, route, at: now)
        let due = try await store.read { try await $0.dueWebhook(at: now) }
        try await report.waiting { try await store.read { try await $0.webhookCount() } }
        let isWanted = receiver.wantsWebhooks(at: now)
        guard let due, isWanted || Self.isTooOld(due, at: now) else { return .idle }
        let (taken, lost) = try await store.write { tx -> (OutboxWebhook?, OutboxWebhook?) in
            guard var webhook = try await tx.dueWebhook(at: now) else { return (nil, nil) }
            guard !Self.isTooOld(webhook, at: now) else {
                try await tx.deleteWebhook(number: webhook.number)
                return (nil, webhook)
            }
            guard isWanted else { return (nil, nil) }
            webhook.attempts += 1
            try await tx.postponeWebhook(number: webhook.number, attempts: webhook.attempts, until: now + Self.lease)
            return (webhook, nil)
        }
        if let lost { report.failed(lost.kind.rawValue, "it waited for three days") }
        return taken.map { .row($0) } ?? .settled
    }

    package func send(_ webhook: OutboxWebhook) async throws {
        do throws(WebhookFailure) {
            try await delivery.send(id: webhook.id, webhook.body, at: effects.now())
        } catch {
            let now = effects.now()
            let pause = max(OutboxTries.pause(after: webhook.attempts), receiver.asks(for: error.pause, at: now))
            let next = now + pause
            _ = try await store.write { tx in
                try await tx.postponeWebhook(number: webhook.number, attempts: webhook.attempts, until: next)
            }
            if error.isGone {
                if receiver.end() { report.ended(error.description) }
                return
            }
            return report.postponed(
                webhook.kind.rawValue,
                error.description,
                attempts: webhook.attempts,
                pause: pause
            )
        }
        _ = try await store.write { try await $0.deleteWebhook(number: webhook.number) }
        report.sent(webhook.kind.rawValue)
    }

    private static func isTooOld(_ webhook: OutboxWebhook, at now: Int64) -> Bool {
        now - webhook.createdAt >= OutboxTries.longestWait
    }
}
