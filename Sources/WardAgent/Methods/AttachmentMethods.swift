internal import WardAgentClient
internal import WardText
internal import WardVault

extension AttachmentRecord {
    /// An attachment, as JSON.
    init(_ attachment: Attachment) {
        self.init(
            id: attachment.id.text,
            name: attachment.name,
            fileName: attachment.fileName,
            type: attachment.type,
            size: attachment.size,
            addedAt: attachment.addedAt
        )
    }
}

extension ItemChange {
    /// Attachments are removed first, so that a new attachment can have the name of a removed one.
    func changeAttachments(_ item: inout Item) throws(AgentError) {
        for text in removeAttachments ?? [] {
            let attachment = try item.attachment(text)
            item.attachments.removeAll { $0.id == attachment.id }
        }
        for file in addAttachments ?? [] {
            guard let content = Base64URL.decode(file.content) else {
                throw AgentError(.invalidValue, "The content of \(file.name) is not base64url")
            }
            item.attachments.append(Attachment(name: file.name, type: file.type, content: content))
        }
    }
}

extension Item {
    /// The requested attachment: found by its name, its ID, or the first characters of the ID.
    ///
    /// - Throws: `AgentError` with `itemMissing` or `ambiguous`.
    func attachment(_ text: String) throws(AgentError) -> Attachment {
        var found = attachments.filter { $0.name == text }
        if found.isEmpty, text.utf8.count >= Self.shortestID {
            found = attachments.filter { $0.id.text.hasPrefix(text.lowercased()) }
        }
        if found.isEmpty { found = attachments.filter { $0.name.lowercased() == text.lowercased() } }
        guard let first = found.first else {
            throw AgentError(.itemMissing, "The item has no attachment “\(text)”. See its attachments: ward show")
        }
        guard found.count == 1 else {
            let ids = found.map { "\($0.name) [\($0.id.text.prefix(Self.shownID))]" }.joined(separator: ", ")
            throw AgentError(.ambiguous, "Several attachments have this name. Use the ID: \(ids)")
        }
        return first
    }

    private static let shortestID = 4
    private static let shownID = 8
}

extension ItemMethods {
    /// Reads the content of an attachment.
    ///
    /// It can also be an attachment of an earlier revision.
    func attachment(_ method: GetAttachment, _ program: ManagerProgram) async throws -> GetAttachment.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .readItem)
            let item = try await item(method.item, revision: method.revision, in: vault)
            let attachment = try item.attachment(method.attachment)
            var content = try await vault.content(of: attachment, in: item.id)
            defer { content.wipe() }
            return GetAttachment.Result(
                attachment: AttachmentRecord(attachment),
                content: Base64URL.encode(content)
            )
        }
    }
}
