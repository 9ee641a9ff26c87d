public import WardVault

/// A problem of an item that a person can solve.
public struct AuditFinding: Hashable, Sendable {
    /// The kind of problem.
    ///
    /// Minor releases may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// A stable word for JSON.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// The password is in a list of leaked passwords.
        public static let leaked = Self(rawValue: "leaked")
        /// The password is easy to guess.
        public static let weak = Self(rawValue: "weak")
        /// An account at another site has the same password.
        public static let reused = Self(rawValue: "reused")
        /// The card has expired.
        public static let expired = Self(rawValue: "expired")
        /// Another item is about the same account.
        public static let duplicate = Self(rawValue: "duplicate")
        /// The site offers verification codes, and the item has none.
        public static let codeMissing = Self(rawValue: "code-missing")
        /// The site offers passkeys, and the item has none.
        public static let passkeyMissing = Self(rawValue: "passkey-missing")

        /// All known kinds, worst first.
        public static let known: [Kind] = [
            .leaked, .weak, .reused, .expired, .duplicate, .codeMissing, .passkeyMissing,
        ]

        /// Whether the finding is about the password, and ends when the password changes.
        package var isAboutPassword: Bool { [.leaked, .weak, .reused].contains(self) }

        /// The position in ``known``; unknown kinds are last.
        package var rank: Int { Self.known.firstIndex(of: self) ?? Self.known.count }
    }

    /// The item.
    public var item: ItemID
    /// The problem.
    public var kind: Kind
    /// The strength of a weak password, in bits.
    public var bits: Double?
    /// The number of the group: items with the same password, or items of the same account.
    public var group: Int?
    /// How many items have the same password, or are about the same account; how often a leaked password was seen.
    public var count: Int?
    /// The last valid month or day of an expired card, as the item has it.
    public var date: String?
    /// The page where a person adds a passkey or reads how.
    public var address: String?
    /// Whether the person decided to ignore the problem.
    public var isIgnored = false

    /// Creates a finding.
    public init(_ kind: Kind, of item: ItemID) {
        self.kind = kind
        self.item = item
    }
}
