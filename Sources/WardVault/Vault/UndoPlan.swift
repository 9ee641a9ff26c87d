/// What undoing a step does, or did.
public struct UndoPlan: Sendable {
    /// What happens to an item of the step.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The step added the item. It goes to the trash.
        case trashed
        /// The item gets its revision from before the step.
        case reverted
        /// The item was changed after the step. It stays as it is.
        case changed
        /// The item is in the trash or permanently removed, or its earlier revision is not kept. It stays as it is.
        case missing
    }

    /// An item of the step.
    public struct Line: Hashable, Sendable {
        /// What happens.
        public let outcome: Outcome
        /// The item ID.
        public let item: ItemID
        /// The title that the step gave the item.
        public let title: String
        /// The revision before the step, if it comes back.
        let before: RevisionID?
    }

    /// The step.
    public let step: ItemStep
    /// The time of the step, in seconds since 1970.
    public let time: Int64
    /// The items, in the order in which the step wrote them.
    public let lines: [Line]

    /// The number of items with an outcome.
    public func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }

    /// The items that undoing changes.
    var changes: [Line] { lines.filter { $0.outcome == .trashed || $0.outcome == .reverted } }

    /// Whether the step can be undone.
    ///
    /// Items that became one, or parts of one item, are undone together or not at all. Otherwise a password could be lost.
    public var isPossible: Bool {
        guard !changes.isEmpty else { return false }
        return step.kind == .import || changes.count == lines.count
    }
}
