import WardAccounts

/// Looks for rows of the audit log from its end to its beginning.
struct AuditSearch: Sendable {
    /// The largest number of rows that one search reads.
    static let mostRead = 5_000

    /// The largest number of rows to find, at least 1.
    let limit: Int
    /// Only rows with smaller numbers; `nil` for the end.
    let before: Int64?
    /// Only rows of this event.
    var kind: AuditEvent.Kind?
    /// Only rows about this account.
    var account: AccountID?

    init(limit: Int, before: Int64?) {
        self.limit = limit
        self.before = before
    }

    /// The rows, newest first, and the number before which the next search goes on; `nil` at the beginning of the log.
    func run(in tx: some AccountTransaction) async throws -> (entries: [AuditEntry], next: Int64?) {
        let end = try await tx.auditEnd().number
        var upper = min(before ?? .max, end + 1)
        var found: [AuditEntry] = []
        var read = 0
        while upper > 1, read < Self.mostRead {
            let size = min(upper - 1, Int64(Sweeping.slice))
            let lower = upper - 1 - size
            let page = try await tx.auditEntries(after: lower, limit: Int(size)).filter { $0.number < upper }
            // Rows before the checkpoint were deleted because they were old.
            guard !page.isEmpty else { return (found, nil) }
            for entry in page.reversed() {
                upper = entry.number
                guard matches(entry.event) else { continue }
                found.append(entry)
                if found.count == limit { return (found, upper > 1 ? upper : nil) }
            }
            upper = lower + 1
            read += page.count
        }
        return (found, upper > 1 ? upper : nil)
    }

    private func matches(_ event: AuditEvent) -> Bool {
        (kind == nil || event.kind == kind) && (account == nil || event.account == account)
    }
}
