/// Finds the security problems of the vault, or of some of its items.
///
/// The answer contains no passwords.
package struct AuditVault: AgentMethod {
    package static let name = "audit.run"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The items whose problems are wanted, as in ``GetItem``; empty for all.
    ///
    /// All items are compared anyway.
    package var items: [String]

    package init(authorization: Authorization, items: [String] = []) {
        self.authorization = authorization
        self.items = items
    }

    /// The problems.
    package struct Result: Codable, Sendable {
        /// The problems, worst first, also those that are ignored.
        package var findings: [AuditRecord]
        /// The items with problems.
        package var items: [SummaryRecord]
        /// The number of checked items.
        package var checked: Int
        /// The number of different passwords.
        package var passwords: Int
        /// The number of items that cannot be read.
        package var unreadable: Int

        package init(
            findings: [AuditRecord],
            items: [SummaryRecord],
            checked: Int,
            passwords: Int,
            unreadable: Int
        ) {
            self.findings = findings
            self.items = items
            self.checked = checked
            self.passwords = passwords
            self.unreadable = unreadable
        }
    }
}

/// A security problem of an item.
package struct AuditRecord: Codable, Hashable, Sendable {
    /// The item ID.
    package var item: String
    /// The kind: `leaked`, `weak`, `reused`, `expired`, `duplicate`, `code-missing` or `passkey-missing`.
    package var kind: String
    /// The strength of a weak password, in bits.
    package var bits: Int?
    /// The number of the group of items with the same password, or of the same account.
    package var group: Int?
    /// The number of items in the group; how often a leaked password was seen.
    package var count: Int?
    /// The last valid month or day of a card.
    package var date: String?
    /// The page of the site where a person adds a passkey.
    package var address: String?
    /// Whether the person decided to ignore the problem.
    package var isIgnored: Bool?

    package init(item: String, kind: String) {
        self.item = item
        self.kind = kind
    }
}

/// Ignores problems of an item, or shows them again.
package struct IgnoreFindings: AgentMethod {
    package static let name = "audit.ignore"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// The kinds of problems; empty for all kinds that the item has now.
    package var kinds: [String]
    /// Whether to ignore them, instead of showing them again.
    package var isIgnored: Bool

    package init(authorization: Authorization, item: String, kinds: [String] = [], isIgnored: Bool = true) {
        self.authorization = authorization
        self.item = item
        self.kinds = kinds
        self.isIgnored = isIgnored
    }

    /// The changed item.
    package struct Result: Codable, Sendable {
        /// The item.
        package var item: SummaryRecord
        /// The kinds of problems that changed.
        package var kinds: [String]

        package init(item: SummaryRecord, kinds: [String]) {
            self.item = item
            self.kinds = kinds
        }
    }
}
