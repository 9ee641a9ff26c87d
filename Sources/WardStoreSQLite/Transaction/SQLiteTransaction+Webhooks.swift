public import WardAccounts

extension SQLiteTransaction {
    private static let webhookColumns = "number, id, account_id, kind, body, created_at, attempts, due_at"

    /// The row of the audit log up to which webhooks are made.
    public func webhookPosition() throws -> Int64? {
        try first("SELECT number FROM webhook_position", []) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
    }

    /// Sets the row of the audit log up to which webhooks are made.
    public func setWebhookPosition(_ number: Int64?) throws {
        guard let number else {
            try change("DELETE FROM webhook_position", [])
            return
        }
        let sql = """
            INSERT INTO webhook_position (id, number) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET number = excluded.number
            """
        try change(sql, [.integer(number)])
    }

    /// Stores a webhook until it is delivered.
    public func insert(_ webhook: OutboxWebhook) throws {
        let lane = StoredValue.lane(webhook.accountID)
        // Only the first of an account is in the index of those that are due. Otherwise an account whose receiver fails would
        // make each search longer.
        let sql = """
            INSERT INTO webhook (\(Self.webhookColumns), is_first) VALUES (?, ?, ?, ?, ?, ?, ?, ?,
                NOT EXISTS (SELECT 1 FROM webhook WHERE account_id = ? AND number < ?))
            """
        let values: [StoredValue] = [
            .integer(webhook.number), try .text(webhook.id), lane, try .text(webhook.kind.rawValue),
            try .text(webhook.body), .integer(webhook.createdAt), .integer(webhook.attempts), .integer(webhook.dueAt),
            lane, .integer(webhook.number),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
        try change(
            "UPDATE webhook SET is_first = 0 WHERE account_id = ? AND number > ? AND is_first = 1",
            [lane, .integer(webhook.number)]
        )
    }

    /// The webhook that has been due for the longest time, of those that are the first of their account.
    public func dueWebhook(at now: Int64) throws -> OutboxWebhook? {
        let sql = """
            SELECT \(Self.webhookColumns) FROM webhook WHERE is_first = 1 AND due_at <= ? ORDER BY due_at, number LIMIT 1
            """
        return try first(sql, [.integer(now)]) { row in
            var columns = Columns(row)
            return OutboxWebhook(
                number: try columns.integer(),
                id: try columns.text(),
                accountID: try columns.lane(),
                kind: AuditEvent.Kind(rawValue: try columns.text()),
                body: try columns.text(),
                createdAt: try columns.integer(),
                attempts: try columns.integer(),
                dueAt: try columns.integer()
            )
        }
    }

    /// Sets the number of tries of a webhook, and the time of the next one.
    @discardableResult
    public func postponeWebhook(number: Int64, attempts: Int64, until time: Int64) throws -> Bool {
        let sql = "UPDATE webhook SET attempts = ?, due_at = ? WHERE number = ?"
        return try change(sql, [.integer(attempts), .integer(time), .integer(number)]) == 1
    }

    /// Deletes a webhook, so that the next one of its account can be delivered.
    @discardableResult
    public func deleteWebhook(number: Int64) throws -> Bool {
        let deleted = try first("DELETE FROM webhook WHERE number = ? RETURNING account_id", [.integer(number)]) {
            var columns = Columns($0)
            return try columns.blob()
        }
        guard let lane = deleted else { return false }
        let sql = """
            UPDATE webhook SET is_first = 1 WHERE number = (SELECT min(number) FROM webhook WHERE account_id = ?)
            """
        try change(sql, [.blob(lane)])
        return true
    }

    /// The number of webhooks that wait.
    public func webhookCount() throws -> Int {
        let count = try first("SELECT count(*) FROM webhook", []) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        return Int(clamping: count ?? 0)
    }
}

extension StoredValue {
    /// The account whose webhooks are delivered in order; an empty value for those without an account.
    fileprivate static func lane(_ account: AccountID?) -> StoredValue { .blob(account?.bytes ?? []) }
}

extension Columns {
    fileprivate mutating func lane() throws -> AccountID? {
        let bytes = try blob()
        guard !bytes.isEmpty else { return nil }
        guard let account = AccountID(bytes) else {
            throw StoreError(.damaged, detail: "a row has an invalid account ID")
        }
        return account
    }
}
