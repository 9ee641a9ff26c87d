/// How much JSON a reader takes before it refuses the text.
package struct JSONLimits: Hashable, Sendable {
    /// The maximum nesting of arrays and objects.
    package var depth: Int
    /// The maximum number of values, where each member's name counts as one.
    package var items: Int

    package init(depth: Int, items: Int) {
        self.depth = depth
        self.items = items
    }

    /// For messages, which may come from strangers: 16 levels and 4,096 values.
    package static let message = Self(depth: 16, items: 4_096)
    /// For files that a person names, such as the export of another manager: 64 levels and 4,000,000 values.
    ///
    /// A text at this limit takes at most 200 MB of memory as ``JSONValue``.
    package static let document = Self(depth: 64, items: 4_000_000)
}
