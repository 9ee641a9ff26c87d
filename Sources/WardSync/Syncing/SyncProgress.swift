/// How far a sync is, for a person who waits.
package struct SyncProgress: Hashable, Sendable {
    /// What a sync does.
    package enum Step: String, Hashable, Sendable {
        /// Entries come from the folder or the server.
        case taking
        /// Entries are brought there.
        case bringing
    }

    package let step: Step
    /// The number of entries that are done.
    package let done: Int
    /// The number of all entries; `nil` if it is not known.
    package let total: Int?

    package init(_ step: Step, done: Int, of total: Int? = nil) {
        self.step = step
        self.done = done
        self.total = total
    }

    /// Told how far a sync is, many times; it must return at once.
    package typealias Report = @Sendable (SyncProgress) -> Void
}
