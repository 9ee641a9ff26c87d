internal import WardAgentClient
internal import WardVault

// The properties of an item in the agent protocol: how each is shown, and how it is changed.

extension ItemRecord {
    /// An item as JSON.
    ///
    /// It contains secrets only if they were requested.
    init(_ item: Item, reveal: Bool) {
        self.init(
            id: item.id.text,
            kind: item.kind.rawValue,
            title: item.title,
            sites: item.sites.map { SiteRecord(address: $0.address, match: $0.match.rawValue) },
            username: item.username,
            password: item.password.map { PasswordRecord($0, reveal: reveal) },
            passkeys: item.passkeys.map { PasskeyRecord($0, in: item.id) },
            codes: item.codes.map { CodeRecord($0, reveal: reveal) },
            notes: reveal || item.notes.isEmpty ? item.notes.revealed : nil,
            sections: item.sections.map { SectionRecord($0, reveal: reveal) },
            tags: item.tags,
            isFavorite: item.isFavorite,
            conflicts: item.conflicts.isEmpty ? nil : item.conflicts.map { ConflictRecord($0, reveal: reveal) },
            createdAt: item.createdAt,
            modifiedAt: item.modifiedAt,
            deletedAt: item.deletedAt,
            revision: item.revision?.text
        )
        attachments = item.attachments.map { AttachmentRecord($0) }
        siteName = item.appearance.flatMap { $0.name.isEmpty ? nil : $0.name }
    }
}

extension ItemChange {
    /// Applies the changes to an item.
    ///
    /// - Throws: `AgentError` with `invalidValue`, or `OneTimePasswordError`; the item may then be half changed, so work on
    ///   a copy or in a transaction.
    func apply(to item: inout Item, now: Int64) throws {
        try settle(&item, now: now)
        if let title = title.map(ItemTitle.clean) {
            guard !title.isEmpty else { throw AgentError(.invalidValue, "An item needs a title") }
            item.title = title
        }
        if let username { item.username = username }
        if let password { Self.set(password, in: &item, now: now) }
        if let notes { item.notes = SecretText(notes) }
        if let isFavorite { item.isFavorite = isFavorite }
        try changeSites(&item)
        try changeTags(&item)
        try changeCodes(&item)
        try changeAttachments(&item)
        for field in fields { try field.apply(to: &item) }
    }
}
