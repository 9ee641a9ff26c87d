internal import WardLog
internal import WardWebAuthn

extension OpenVault {
    /// Encrypts the contents that were added to an item, and checks that the file has the others.
    ///
    /// - Parameters:
    ///   - item: The item; its attachments name the sealed contents afterwards.
    ///   - staged: Contents that the same transaction sealed before.
    ///   - areLimited: Whether the limits for what a person adds apply.
    /// - Returns: What was sealed.
    /// - Throws: ``VaultError`` with `attachmentTooLarge`, `tooManyAttachments` or `conflict`.
    func sealAttachments(
        of item: inout Item,
        staged: [SealedContent],
        areLimited: Bool
    ) throws(VaultError) -> [SealedContent] {
        guard !item.attachments.isEmpty else { return [] }
        if areLimited { try Self.checkLimits(item) }
        var sealed: [SealedContent] = []
        for index in item.attachments.indices {
            let attachment = item.attachments[index]
            switch attachment.content {
            case .added(let bytes):
                let key = try environment.random(AttachmentSealing.keyLength)
                let blob = try bytes.withBytes { (content) throws(VaultError) in
                    try AttachmentSealing.seal(
                        content,
                        key: key,
                        attachment.id,
                        of: item.id,
                        self.vaultID,
                        self.environment
                    )
                }
                let hash = ItemSealing.hash(blob)
                item.attachments[index].addedAt = environment.effects.now()
                item.attachments[index].content = .sealed(hash: hash, key: SecretBytes(key))
                sealed.append(SealedContent(hash: hash, blob: blob))
            case .sealed(let hash, _):
                let isThere = contents[hash]?.item == item.id || staged.contains { $0.hash == hash }
                // The content of another item's attachment cannot be decrypted here.
                guard isThere else {
                    throw VaultError(.conflict, "the content of \(attachment.name) belongs to another item")
                }
            }
        }
        return sealed
    }

    /// The limits apply when files are added.
    ///
    /// A merge of two devices' files may exceed them, so that no file is lost.
    private static func checkLimits(_ item: Item) throws(VaultError) {
        let added = item.attachments.filter { $0.hash == nil }
        guard !added.isEmpty else { return }
        if let large = added.first(where: { $0.size > Attachment.maximumSize }) {
            throw VaultError(
                .attachmentTooLarge,
                "\(large.name) has \(large.size) bytes, but an attachment can have at most \(Attachment.maximumSize)"
            )
        }
        guard item.attachments.count <= Attachment.maximumCount else {
            throw VaultError(.tooManyAttachments, "an item can have at most \(Attachment.maximumCount) attachments")
        }
        guard item.attachments.reduce(0, { $0 + $1.size }) <= Attachment.maximumTotal else {
            throw VaultError(
                .tooManyAttachments,
                "the attachments of an item can have at most \(Attachment.maximumTotal) bytes together"
            )
        }
    }

    /// The content of an attachment.
    ///
    /// - Throws: ``VaultError`` with `damaged` when it is no longer kept or cannot be read.
    func content(of attachment: Attachment, in item: ItemID) throws(VaultError) -> [UInt8] {
        switch attachment.content {
        case .added(let bytes): return bytes.withBytes { $0 }
        case .sealed(let hash, let key):
            guard let place = contents[hash], place.item == item, let row = try database.row(at: place.position),
                case .content(let record) = try SignedEntry(row).entry.operation, record.blobHash == hash
            else { throw VaultError(.damaged, "The vault's file does not contain the attachment \(attachment.name)") }
            guard let blob = row.blob else {
                throw VaultError(.damaged, "The attachment \(attachment.name) was removed after its retention time")
            }
            guard ItemSealing.hash(blob) == hash,
                let content = AttachmentSealing.open(blob, key: key.revealed, attachment.id, of: item, vaultID),
                content.count == attachment.size
            else { throw VaultError(.damaged, "The attachment \(attachment.name) was changed") }
            return content
        }
    }

    /// Attached contents that are removed together with revisions: no remaining revision refers to them.
    ///
    /// - Parameters:
    ///   - items: The items whose revisions are cleared.
    ///   - cleared: Where the revisions lie that are cleared now.
    /// - Returns: Where the contents lie.
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    func contents(of items: Set<LogItemID>, clearedWith cleared: [Int64]) throws(VaultError) -> [Int64] {
        let cleared = Set(cleared)
        let graph = try graph()
        var found: [Int64] = []
        for item in items {
            for content in graph.clearableContents(of: item) where try database.hasBlob(at: content.position) {
                var isNamed = false
                for revision in content.revisions where !cleared.contains(revision.position) {
                    if try database.hasBlob(at: revision.position) { isNamed = true }
                }
                if !isNamed { found.append(content.position) }
            }
        }
        return found
    }
}

extension Vault {
    /// The content of an attachment.
    ///
    /// - Parameters:
    ///   - attachment: The attachment, as the item or one of its revisions has it.
    ///   - item: The item ID.
    /// - Returns: The content; wipe it after use.
    /// - Throws: ``VaultError`` with `locked`, or `damaged` also when the content is no longer kept.
    public func content(of attachment: Attachment, in item: ItemID) throws(VaultError) -> [UInt8] {
        try open().content(of: attachment, in: item)
    }
}
