/// What an import does, or did: one line for each item of the file, in the order of the file.
public struct ImportPlan: Sendable {
    /// What happens to an item of the file.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The item is added.
        case new
        /// The vault has everything of the item already.
        case unchanged
        /// The item becomes part of an entry of the same account.
        case joined
        /// The entry of the same account has another password. Both passwords are kept.
        case conflict
    }

    /// One item of the file.
    public struct Line: Hashable, Sendable {
        /// What happens.
        public var outcome: Outcome
        /// The item's title.
        public var title: String
        /// The item's user name.
        public var username: String
        /// The entry in the vault.
        public var item: ItemID
        /// The title of the entry in the vault.
        public var entry: String
        /// Whether the password of the file becomes the current one; only for conflicts.
        public var isNewer: Bool
    }

    /// The lines.
    public var lines: [Line] = []
    /// The items that the plan adds.
    public var added: [ItemID] = []
    /// The items of the vault that the plan changes.
    public var changed: [ItemID] = []

    /// The number of items with an outcome.
    public func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }
}
