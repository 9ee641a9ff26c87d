/// An attached file as JSON, without its content.
package struct AttachmentRecord: Codable, Hashable, Sendable {
    /// The attachment ID.
    package var id: String
    /// The name of the file.
    ///
    /// It comes from outside: clean it before it becomes part of a path.
    package var name: String
    /// A safe file name, made from the name: it has no path separator and is not hidden.
    package var fileName: String
    /// The media type.
    package var type: String
    /// The size of the content in bytes.
    package var size: Int
    /// The time when the file was attached.
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
    package var name: String
    /// The media type.
    package var type: String
    /// The content in base64url.
    package var content: String

    /// The maximum number of bytes of all contents in one request, so that the message is not too long.
    package static let maximumAtOnce = 2 << 20

    package init(name: String, type: String, content: String) {
        self.name = name
        self.type = type
        self.content = content
    }
}

/// Reads the content of an attached file.
package struct GetAttachment: AgentMethod {
    package static let name = "items.attachment"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// The name of the attachment, its ID, or the first characters of its ID.
    package var attachment: String
    /// The revision to read; `nil` for the latest.
    package var revision: String?

    package init(authorization: Authorization, item: String, attachment: String, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.attachment = attachment
        self.revision = revision
    }

    /// An attachment with its content.
    package struct Result: Codable, Sendable {
        package var attachment: AttachmentRecord
        /// The content in base64url.
        package var content: String

        package init(attachment: AttachmentRecord, content: String) {
            self.attachment = attachment
            self.content = content
        }
    }
}
