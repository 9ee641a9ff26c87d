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

        /// The password is easy to guess.
        public static let weak = Self(rawValue: "weak")
        /// Another account has the same password.
        public static let reused = Self(rawValue: "reused")
        /// The password is in a list of leaked passwords.
        public static let leaked = Self(rawValue: "leaked")
    }

    /// The item.
    public var item: ItemID
    /// The problem.
    public var kind: Kind

    /// Creates a finding.
    public init(_ kind: Kind, of item: ItemID) {
        self.kind = kind
        self.item = item
    }
}
