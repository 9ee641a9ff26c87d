/// Asks the person whether everything in the vault may leave it in a file, and gets the items ready for this connection.
///
/// The person types the passphrase, also if the vault is unlocked.
package struct BeginExport: AgentMethod {
    package static let name = "export.begin"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The name of the file's format, which the prompt shows.
    package var format: String
    /// Whether the file is encrypted, which the prompt shows too.
    package var isSealed: Bool

    package init(authorization: Authorization, format: String, isSealed: Bool) {
        self.authorization = authorization
        self.format = format
        self.isSealed = isSealed
    }

    package struct Result: Codable, Sendable {
        /// The number of items that can be fetched.
        package var items: Int
        /// The number of items in the trash, which are left out.
        package var inTrash: Int

        package init(items: Int, inTrash: Int) {
            self.items = items
            self.inTrash = inTrash
        }
    }
}

/// Fetches the next items of an export.
package struct FetchExport: AgentMethod {
    package static let name = "export.next"

    /// An item, or a file that is attached to the item before it.
    package struct Piece: Codable, Sendable {
        /// The item in the vault's encoding, as base64url.
        package var item: String?
        /// The ID of an attachment of the latest item.
        package var attachment: String?
        /// The content of the attachment in base64url.
        package var content: String?

        package init(item: String) { self.item = item }
        package init(attachment: String, content: String) {
            self.attachment = attachment
            self.content = content
        }
    }

    package init() {}

    package struct Result: Codable, Sendable {
        /// The items in no order.
        package var pieces: [Piece]
        /// The IDs of items that cannot be read.
        package var unreadable: [String]
        /// Whether nothing is left.
        package var isComplete: Bool

        package init(pieces: [Piece], unreadable: [String], isComplete: Bool) {
            self.pieces = pieces
            self.unreadable = unreadable
            self.isComplete = isComplete
        }
    }
}
