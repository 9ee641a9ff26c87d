/// Hands items of a file to the agent, which keeps them in memory for this connection.
package struct StageImport: AgentMethod {
    package static let name = "import.stage"

    /// An item, or a file that is attached to the item before it.
    package struct Piece: Codable, Sendable {
        /// The item in the vault's encoding, as base64url.
        package var item: String?
        /// An attachment of the latest item.
        package var attachment: NewAttachment?

        package init(item: String) { self.item = item }
        package init(attachment: NewAttachment) { self.attachment = attachment }
    }

    /// Whether this is the beginning of a file; items that were handed over before are forgotten.
    package var begins: Bool
    /// The items, in the order of the file.
    package var pieces: [Piece]

    package init(begins: Bool, pieces: [Piece]) {
        self.begins = begins
        self.pieces = pieces
    }

    /// The items that wait.
    package struct Result: Codable, Sendable {
        /// Their number.
        package var items: Int

        package init(items: Int) { self.items = items }
    }
}

/// Compares the items that were handed over with the vault, and writes nothing.
package struct PlanImport: AgentMethod {
    package static let name = "import.plan"
    /// The authorization of the request.
    package var authorization: Authorization

    package init(authorization: Authorization) { self.authorization = authorization }

    package typealias Result = ImportOutcome
}

/// Imports the items that were handed over, in one transaction.
package struct ApplyImport: AgentMethod {
    package static let name = "import.apply"
    /// The authorization of the request.
    package var authorization: Authorization

    package init(authorization: Authorization) { self.authorization = authorization }

    package typealias Result = ImportOutcome
}

/// What an import does, or did.
package struct ImportOutcome: Codable, Sendable {
    /// An item of the file.
    package struct Line: Codable, Hashable, Sendable {
        /// `new`, `unchanged`, `joined` or `conflict`.
        package var outcome: String
        /// The title in the file.
        package var title: String
        /// The user name in the file.
        package var username: String
        /// The ID of the entry in the vault; `nil` for a new item that is not written.
        package var item: String?
        /// The title of the entry in the vault, if it is not new.
        package var entry: String?
        /// Whether the password of the file becomes the current one; only for conflicts.
        package var isNewer: Bool?

        package init(outcome: String, title: String, username: String) {
            self.outcome = outcome
            self.title = title
            self.username = username
        }
    }

    /// The items, in the order of the file.
    package var lines: [Line]
    /// The number of items that are added to the vault.
    package var added: Int
    /// The number of entries of the vault that are changed.
    package var changed: Int

    package init(lines: [Line], added: Int, changed: Int) {
        self.lines = lines
        self.added = added
        self.changed = changed
    }
}
