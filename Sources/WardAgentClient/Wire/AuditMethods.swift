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
    /// What sites say of their passkeys, for those that the caller asked; `nil` if it asked none.
    package var passkeySites: [PasskeySite]?

    /// What a site says of its passkeys.
    package struct PasskeySite: Codable, Sendable {
        /// The domain that was asked.
        package var domain: String
        /// The page where a person adds a passkey.
        package var address: String?

        package init(domain: String, address: String?) {
            self.domain = domain
            self.address = address
        }
    }

    package init(authorization: Authorization, items: [String] = [], passkeySites: [PasskeySite]? = nil) {
        self.authorization = authorization
        self.items = items
        self.passkeySites = passkeySites
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
    /// The page where a person adds a passkey or reads how.
    package var address: String?
    /// Whether the person decided to ignore the problem.
    package var isIgnored: Bool?

    package init(item: String, kind: String) {
        self.item = item
        self.kind = kind
    }
}

/// Asks which domains may say whether they offer passkeys: those of accounts that have a password and no passkey.
///
/// The agent itself asks no site.
package struct ListPasskeyDomains: AgentMethod {
    package static let name = "audit.domains"
    /// The authorization of the request.
    package var authorization: Authorization

    package init(authorization: Authorization) { self.authorization = authorization }

    /// What to ask.
    package struct Result: Codable, Sendable {
        /// The domains in lower case, in ascending order.
        package var domains: [String]

        package init(domains: [String]) { self.domains = domains }
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

/// Asks for the first digits of the hashes of all passwords, for range queries to a list of leaked passwords.
///
/// The agent itself sends nothing. Passwords whose answer is not older than a day are left out.
package struct ListLeakPrefixes: AgentMethod {
    package static let name = "audit.prefixes"
    /// The authorization of the request.
    package var authorization: Authorization

    package init(authorization: Authorization) { self.authorization = authorization }

    /// What to ask for.
    package struct Result: Codable, Sendable {
        /// The first five digits of SHA-1 hashes, in ascending order and each once.
        package var prefixes: [String]
        /// The number of different passwords that they stand for.
        package var passwords: Int
        /// The number of different passwords that need no query.
        package var known: Int

        package init(prefixes: [String], passwords: Int, known: Int) {
            self.prefixes = prefixes
            self.passwords = passwords
            self.known = known
        }
    }
}

/// Hands answers of range queries to the agent, which compares them with the passwords.
package struct AddLeakRanges: AgentMethod {
    package static let name = "audit.ranges"

    /// The answer to a range query.
    package struct Range: Codable, Sendable {
        /// The digits that were sent.
        package var prefix: String
        /// The answer as it came: lines with the rest of a hash, a colon and a count.
        package var list: String

        package init(prefix: String, list: String) {
            self.prefix = prefix
            self.list = list
        }
    }

    /// The answers.
    package var ranges: [Range]

    package init(ranges: [Range]) { self.ranges = ranges }

    package typealias Result = LeakOutcome
}

/// Looks up all passwords in a file with hashes of leaked passwords.
package struct SearchLeakFile: AgentMethod {
    package static let name = "audit.file"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The absolute path of the file.
    package var path: String

    package init(authorization: Authorization, path: String) {
        self.authorization = authorization
        self.path = path
    }

    package typealias Result = LeakOutcome
}

/// What became of passwords that were looked up.
package struct LeakOutcome: Codable, Sendable {
    /// The number of different passwords that were looked up.
    package var checked: Int
    /// The number of answers that cannot be read.
    package var unreadable: Int

    package init(checked: Int, unreadable: Int = 0) {
        self.checked = checked
        self.unreadable = unreadable
    }
}
