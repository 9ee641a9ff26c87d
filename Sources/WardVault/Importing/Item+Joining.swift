extension Item {
    /// Adds everything of another item that this item lacks, so that both become one entry.
    ///
    /// Nothing of either item is lost: a value for which there is only one place stays as it is, and the other value goes into
    /// the password history or becomes a field. Joining an item a second time changes nothing.
    ///
    /// - Parameters:
    ///   - other: The item whose values are added.
    ///   - time: The time of the change, in seconds since 1970.
    ///   - keepsEveryRule: Whether a site is added that this item has with another rule for matching pages, even if the other rule
    ///     is the usual one.
    /// - Returns: Whether the two items had different passwords.
    @discardableResult
    package mutating func join(_ other: Item, at time: Int64, keepsEveryRule: Bool = false) -> Bool {
        if username.isEmpty {
            username = other.username
        } else if !other.username.isEmpty, SearchText.folded(username) != SearchText.folded(other.username) {
            keep(other.username, as: "User name")
        }
        let differs = joinPassword(other.password, at: time)
        if title.isEmpty { title = other.title } else if !isNamed(other.title) { keep(other.title, as: "Title") }
        for site in other.sites {
            let known = sites.filter { $0.isSame(as: site) }
            let isCovered = known.contains { $0.match == site.match } || (site.match == .domain && !keepsEveryRule)
            if known.isEmpty || !isCovered { sites.append(site) }
        }
        for passkey in other.passkeys { join(passkey) }
        for code in other.codes { join(code) }
        joinNotes(other.notes)
        for section in other.sections { join(section) }
        for tag in other.tags where !tags.contains(tag) { tags.append(tag) }
        for attachment in other.attachments where !attachments.contains(where: { $0.isSame(as: attachment) }) {
            attachments.append(attachment)
        }
        for conflict in other.conflicts where !conflicts.contains(conflict) { conflicts.append(conflict) }
        for (name, content) in other.extensions.sorted(by: { $0.key < $1.key }) { join(content, as: name) }
        appearance = appearance ?? other.appearance
        for code in other.unknownCodes where !unknownCodes.contains(code) { unknownCodes.append(code) }
        unknown = UnknownFields.join(nil, other.unknown, unknown)
        return differs
    }

    private mutating func join(_ passkey: StoredPasskey) {
        let index = passkeys.firstIndex { $0.credentialID == passkey.credentialID && $0.rpID == passkey.rpID }
        guard let index else { return passkeys.append(passkey) }
        passkeys[index].prf = passkeys[index].prf ?? passkey.prf
        passkeys[index].largeBlob = passkeys[index].largeBlob ?? passkey.largeBlob
    }

    /// Of two counters the larger one stays, because a service accepts no counter twice.
    private mutating func join(_ code: OneTimePassword) {
        guard let index = codes.firstIndex(where: { $0.isSame(as: code) }) else { return codes.append(code) }
        guard case .hotp(let mine) = codes[index].kind, case .hotp(let other) = code.kind else { return }
        codes[index].kind = .hotp(counter: max(mine, other))
    }

    /// Two contents of one name both stay.
    private mutating func join(_ content: [UInt8], as name: String) {
        var (free, number) = (name, 1)
        while let known = extensions[free] {
            if known == content { return }
            number += 1
            free = "\(name) \(number)"
        }
        extensions[free] = content
    }

    /// The newer password stays, if both times are known; otherwise the password of this item stays.
    private mutating func joinPassword(_ other: Password?, at time: Int64) -> Bool {
        guard let other, !(other.value.isEmpty && other.history.isEmpty) else { return false }
        guard let mine = password, !(mine.value.isEmpty && mine.history.isEmpty) else {
            password = other
            return false
        }
        let known = [mine.value] + mine.history.map(\.value)
        let differs = !other.value.isEmpty && !mine.value.isEmpty && !known.contains(other.value)
        let isNewer = differs && other.changedAt > mine.changedAt && mine.changedAt > 0
        let value = mine.value.isEmpty || isNewer ? other.value : mine.value
        var earlier = mine.history
        func add(_ text: SecretText, _ replacedAt: Int64) {
            guard text != value, !text.isEmpty, !earlier.contains(where: { $0.value == text }) else { return }
            earlier.append(Password.Previous(value: text, replacedAt: replacedAt))
        }
        add(mine.value, time)
        add(other.value, isNewer ? time : other.changedAt > 0 ? other.changedAt : time)
        for previous in other.history { add(previous.value, previous.replacedAt) }
        guard value != mine.value || earlier != mine.history else { return differs }
        // A stable order: the passwords that were replaced last come first.
        let ordered = earlier.enumerated().sorted {
            ($1.element.replacedAt, $0.offset) < ($0.element.replacedAt, $1.offset)
        }
        let changedAt = value == mine.value ? mine.changedAt : other.changedAt
        for previous in ordered.dropFirst(Password.maximumHistory).map(\.element) {
            let field = Field(label: "Earlier password", text: previous.value.revealed, isConcealed: true)
            if !fields.contains(field) { fields.append(field) }
        }
        var joined = Password(value, changedAt: changedAt, history: ordered.map(\.element))
        joined.unknown = mine.unknown
        password = joined
        return differs
    }

    /// Whether a title says nothing that this item does not show anyway.
    private func isNamed(_ other: String) -> Bool {
        let folded = SearchText.folded(other.trimmed)
        if folded.isEmpty || folded == SearchText.folded(title.trimmed) { return true }
        let hosts = sites.compactMap(\.host) + passkeys.map(\.rpID) + passkeys.map { SearchText.folded($0.rpName) }
        return hosts.contains { $0 == folded || $0.hasSuffix("." + folded) || "www." + $0 == folded }
    }

    private mutating func keep(_ text: String, as label: String) {
        let field = Field(label: label, text: text)
        if !fields.contains(field) { fields.append(field) }
    }

    /// A text whose every line has a line end on both sides, so that a part of a line is not found in it.
    private static func lines(_ text: String) -> String {
        "\n" + text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n") + "\n"
    }

    private mutating func joinNotes(_ other: SecretText) {
        let added = other.revealed.trimmed
        guard !added.isEmpty, !Self.lines(notes.revealed).contains(Self.lines(added)) else { return }
        notes = notes.revealed.trimmed.isEmpty ? other : SecretText(notes.revealed + "\n\n" + other.revealed)
    }

    private mutating func join(_ section: FieldSection) {
        guard let index = sections.firstIndex(where: { $0.kind == section.kind && $0.label == section.label }) else {
            sections.append(section)
            return
        }
        // Formats differ in the types that they have, so the type alone does not make another field.
        for field in section.fields where !sections[index].fields.contains(where: { $0.hasContent(of: field) }) {
            sections[index].fields.append(field)
        }
        sections[index].unknown = UnknownFields.join(nil, section.unknown, sections[index].unknown)
    }
}

extension Site {
    /// Whether two sites are the same place; the scheme, and a slash at the end, can differ.
    fileprivate func isSame(as other: Site) -> Bool {
        if target == other.target { return true }
        guard case .web(let mine) = target, case .web(let others) = other.target, let mine = SiteAddress(mine),
            let others = SiteAddress(others)
        else { return false }
        return mine == others
    }
}

extension OneTimePassword {
    /// Whether two secrets give the same codes; the counter, the issuer and the account can differ.
    func isSame(as other: OneTimePassword) -> Bool {
        guard secret == other.secret, algorithm == other.algorithm, digits == other.digits else { return false }
        if case .hotp = kind, case .hotp = other.kind { return true }
        return kind == other.kind
    }
}

extension Attachment {
    /// Whether two attachments have the same name and content.
    ///
    /// The content of a stored attachment is in the vault's file, so it is not compared here.
    fileprivate func isSame(as other: Attachment) -> Bool {
        guard name == other.name, size == other.size else { return false }
        switch (content, other.content) {
        case (.added(let mine), .added(let others)): return mine.withBytes { $0 } == others.withBytes { $0 }
        case (.sealed(let mine, _), .sealed(let others, _)): return mine == others
        default: return false
        }
    }

    /// Passes the content of an attachment that is not stored yet to a closure, and returns what the closure returns.
    ///
    /// It is `nil` if the content is stored.
    package func withAddedContent<R: Sendable>(_ body: ([UInt8]) -> R) -> R? {
        guard case .added(let bytes) = content else { return nil }
        return bytes.withBytes(body)
    }
}

extension Field {
    fileprivate func hasContent(of other: Field) -> Bool {
        name == other.name && label == other.label && value == other.value
    }
}
