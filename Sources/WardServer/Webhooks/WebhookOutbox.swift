package import WardAccounts
import WardText

/// The outbox of webhooks, which is filled from the audit log.
///
/// The service and the commands beside it write a change and its row of the audit log in one transaction. The place up to which
/// the rows were taken moves in the transaction that stores their webhooks. So each row is taken once.
package enum WebhookOutbox {
    /// The largest number of rows of one transaction.
    private static let slice = 200

    /// Begins or ends webhooks, as the service's settings say.
    ///
    /// The first start with webhooks begins at the end of the audit log.
    ///
    /// - Parameters:
    ///   - isOn: Whether the service sends webhooks.
    ///   - store: The store.
    /// - Returns: The number of webhooks that waited and are deleted, because the service sends none any more.
    /// - Throws: The store's errors.
    package static func prepare(_ isOn: Bool, _ store: some AccountStore) async throws -> Int {
        let (position, count) = try await store.read { tx in
            (try await tx.webhookPosition(), try await tx.webhookCount())
        }
        guard isOn else {
            guard position != nil || count > 0 else { return 0 }
            return try await store.write { tx in
                try await tx.setWebhookPosition(nil)
                var deleted = 0
                while let webhook = try await tx.dueWebhook(at: .max) {
                    try await tx.deleteWebhook(number: webhook.number)
                    deleted += 1
                }
                return deleted
            }
        }
        guard position == nil else { return 0 }
        try await store.write { tx in
            guard try await tx.webhookPosition() == nil else { return }
            try await tx.setWebhookPosition(try await tx.auditEnd().number)
        }
        return 0
    }

    /// Makes webhooks for all new rows of the audit log.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - route: Which events are sent.
    ///   - now: Seconds since 1970.
    /// - Throws: The store's errors.
    static func fill(_ store: some AccountStore, _ route: WebhookRoute, at now: Int64) async throws {
        while true {
            let isBehind = try await store.read { tx in
                guard let position = try await tx.webhookPosition() else { return false }
                return try await tx.auditEnd().number > position
            }
            guard isBehind else { return }
            let count = try await store.write { tx in
                guard let position = try await tx.webhookPosition() else { return 0 }
                let entries = try await tx.auditEntries(after: position, limit: slice)
                for entry in entries where route.sends(entry.event) {
                    let owner =
                        if let id = entry.event.account { try await tx.account(id: id) } else { nil as Account? }
                    try await tx.insert(OutboxWebhook(entry, of: owner?.username.text, at: now))
                }
                if let last = entries.last { try await tx.setWebhookPosition(last.number) }
                return entries.count
            }
            guard count == slice else { return }
        }
    }
}

extension OutboxWebhook {
    /// The webhook for a row of the audit log.
    ///
    /// Its ID is made from the row's hash, so no other row has it, also not after a backup was restored.
    fileprivate init(_ entry: AuditEntry, of name: String?, at now: Int64) {
        let event = entry.event
        let body: JSONValue = [
            "type": .string(event.kind.rawValue), "timestamp": .string(JSONTime.text(event.time)),
            "data": JSONValue(auditing: entry, of: name),
        ]
        self.init(
            number: entry.number,
            id: "evt_" + Hex.encode(Array(entry.hash.prefix(16))),
            accountID: event.account,
            kind: event.kind,
            body: body.text,
            createdAt: event.time,
            dueAt: now
        )
    }
}
