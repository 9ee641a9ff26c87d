/// Makes one entry of several items.
package struct MergeItems: AgentMethod {
    package static let name = "items.merge"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The items, as in ``GetItem``; the first one gets everything, and the others go to the trash.
    package var items: [String]
    /// Whether it is done; otherwise nothing is written.
    package var apply: Bool

    package init(authorization: Authorization, items: [String], apply: Bool) {
        self.authorization = authorization
        self.items = items
        self.apply = apply
    }

    /// What was done.
    package struct Result: Codable, Sendable {
        /// The item that gets everything, as it is now.
        package var item: SummaryRecord
        /// The items that go to the trash.
        package var others: [SummaryRecord]
        /// What the item gets: a number for each of `password` (which becomes the current one), `earlierPasswords`, `passkeys`,
        /// `codes`, `sites`, `notes`, `fields`, `attachments` and `tags`.
        package var gains: [String: Int]
        /// Whether it was done.
        package var isApplied: Bool

        package init(item: SummaryRecord, others: [SummaryRecord], gains: [String: Int], isApplied: Bool) {
            self.item = item
            self.others = others
            self.gains = gains
            self.isApplied = isApplied
        }
    }
}

/// Moves a part of an item into an item of its own.
package struct SplitItem: AgentMethod {
    package static let name = "items.split"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// `passkeys`, `codes` or `password`; `nil` is the passkeys, or the codes of an item without passkeys.
    package var part: String?
    /// Whether it is done; otherwise nothing is written.
    package var apply: Bool

    package init(authorization: Authorization, item: String, part: String?, apply: Bool) {
        self.authorization = authorization
        self.item = item
        self.part = part
        self.apply = apply
    }

    /// What was done.
    package struct Result: Codable, Sendable {
        /// The item that loses the part, as it is now.
        package var item: SummaryRecord
        /// The ID of the new item; `nil` if nothing was written.
        package var new: String?
        /// The user name of the new item.
        package var username: String
        /// The part.
        package var part: String
        /// The number of passkeys, codes or passwords.
        package var count: Int
        /// Whether it was done.
        package var isApplied: Bool

        package init(
            item: SummaryRecord,
            new: String?,
            username: String,
            part: String,
            count: Int,
            isApplied: Bool
        ) {
            self.item = item
            self.new = new
            self.username = username
            self.part = part
            self.count = count
            self.isApplied = isApplied
        }
    }
}

/// Undoes the latest import, merge or split of this device.
package struct UndoStep: AgentMethod {
    package static let name = "items.undo"
    /// The authorization of the request.
    package var authorization: Authorization
    /// `import`, `merge` or `split`.
    package var kind: String
    /// The ID of the step, if it must be this one.
    package var step: String?
    /// Whether items that were changed after the step are undone too.
    package var includesChanged: Bool
    /// Whether it is done; otherwise nothing is written.
    package var apply: Bool

    package init(
        authorization: Authorization,
        kind: String,
        step: String? = nil,
        includesChanged: Bool = false,
        apply: Bool
    ) {
        self.authorization = authorization
        self.kind = kind
        self.step = step
        self.includesChanged = includesChanged
        self.apply = apply
    }

    /// What was done.
    package struct Result: Codable, Sendable {
        /// An item of the step.
        package struct Line: Codable, Hashable, Sendable {
            /// `trashed`, `reverted`, `changed` or `missing`.
            package var outcome: String
            /// The item ID.
            package var item: String
            /// The title that the step gave the item.
            package var title: String

            package init(outcome: String, item: String, title: String) {
                self.outcome = outcome
                self.item = item
                self.title = title
            }
        }

        /// The ID of the step, base64url.
        package var step: String
        /// The kind of the step.
        package var kind: String
        /// The time of the step, in seconds since 1970.
        package var time: Int64
        /// The items.
        package var lines: [Line]
        /// Whether the step can be undone.
        package var isPossible: Bool
        /// Whether it was undone.
        package var isApplied: Bool

        package init(step: String, kind: String, time: Int64, lines: [Line], isPossible: Bool, isApplied: Bool) {
            self.step = step
            self.kind = kind
            self.time = time
            self.lines = lines
            self.isPossible = isPossible
            self.isApplied = isApplied
        }
    }
}
