/// An attached file as JSON, without its content.
package struct AttachmentRecord: Codable, Hashable, Sendable {
    /// The attachment ID.
    package var id: String
    /// The name, which comes from outside: clean it before it becomes a path.
    package var name: String
    /// The name as the last part of a path: without a path separator, not hidden.
    package var fileName: String
    /// The media type.
    package var type: String
    /// The size of the content in bytes.
    package var size: Int
    /// When it was attached.
    package var addedAt: Int64

    package init(id: String, name: String, fileName: String, type: String, size: Int, addedAt: Int64) {
        self.id = id
        self.name = name
        self.fileName = fileName
        self.type = type
        self.size = size
        self.addedAt = addedAt
    }
}

/// A file to attach.
package struct NewAttachment: Codable, Sendable {
    /// The name.
    package var name: String
    /// The media type.
    package var type: String
    /// The content in base64url.
    package var content: String

    /// The most bytes that the contents in one request may have together, so that the message stays within its limit.
    package static let maximumAtOnce = 2 << 20

    package init(name: String, type: String, content: String) {
        self.name = name
        self.type = type
        self.content = content
    }
}

/// Reads the content of an attached file.
package struct GetAttachment: AgentMethod {
    /// `items.attachment`.
    package static let name = "items.attachment"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// The name of the attachment, or its ID or the first characters of it.
    package var attachment: String
    /// A revision other than the latest.
    package var revision: String?

    /// Creates a request.
    package init(authorization: Authorization, item: String, attachment: String, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.attachment = attachment
        self.revision = revision
    }

    /// The attachment and its content.
    package struct Result: Codable, Sendable {
        /// The attachment.
        package var attachment: AttachmentRecord
        /// The content in base64url.
        package var content: String

        package init(attachment: AttachmentRecord, content: String) {
            self.attachment = attachment
            self.content = content
        }
    }
}
