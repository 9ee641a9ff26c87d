internal import WardVault

/// Turns the entries of a KDBX file into items.
struct KDBXItems {
    private let document: KDBXDocument
    private let references: KDBXReferences
    private var notices: [ImportNotice] = []

    init(_ document: KDBXDocument) {
        self.document = document
        references = KDBXReferences(document.entries)
    }

    consuming func file(now: Int64) -> ImportedFile {
        var reading = self
        var file = ImportedFile()
        for entry in reading.document.entries { file.items.append(reading.item(entry, now: now)) }
        if reading.document.recycled > 0 {
            let text = "The entries in the recycle bin were left out: \(reading.document.recycled)."
            reading.notices.append(ImportNotice(place: "recycle bin", .skipped, text))
        }
        file.notices = reading.notices
        return file
    }

    private mutating func item(_ original: KDBXDocument.Entry, now: Int64) -> Item {
        let entry = references.resolved(original)
        var rest = KDBXFields(entry.texts)
        let title = ItemTitle.clean(rest.take("Title"))
        let sites = Self.sites(&rest)
        var item = Item(title: title, sites: sites, username: rest.take("UserName"), createdAt: entry.createdAt ?? now)
        if item.title.isEmpty { item.title = sites.first?.host ?? item.username }
        if item.title.isEmpty { item.title = "KeePass" }
        item.notes = SecretText(rest.take("Notes"))
        item.password = password(entry, rest.take("Password"), now: now)
        item.passkeys = passkeys(&rest, entry, item.title, now: now)
        item.codes = codes(&rest, item.title)
        item.tags = tags(entry, &item)
        item.attachments = attachments(entry, item.title)
        item.fields = rest.left.map { Field(label: $0.key, text: $0.value, isConcealed: $0.isProtected) }
        if entry.expires, let time = entry.expiresAt {
            item.fields.append(Field(label: "Expires", type: .date, value: .text(SecretText(KDBXTime.day(time)))))
        }
        let isNote = item.sites.isEmpty && item.username.isEmpty && item.password == nil && item.passkeys.isEmpty
        if isNote, item.codes.isEmpty, !item.notes.isEmpty { item.kind = .note }
        return item
    }

    /// The sites: the field `URL`, and the further addresses of KeePassXC and KeePass2Android.
    private static func sites(_ rest: inout KDBXFields) -> [Site] {
        let further = rest.takeAll { $0.hasPrefix("KP2A_URL") || $0.hasPrefix("AndroidApp") }
        let addresses = [rest.take("URL")] + further.map(\.value)
        var sites: [Site] = []
        for address in addresses where !address.isEmpty {
            let site =
                address.removingScheme("androidapp").map { Site(.androidApp($0)) }
                ?? address.removingScheme("iosapp").map { Site(.iosApp($0)) } ?? Site(address)
            if !sites.contains(site) { sites.append(site) }
        }
        return sites
    }

    /// The password, with the passwords of earlier states.
    private func password(_ entry: KDBXDocument.Entry, _ current: String, now: Int64) -> Password? {
        let states = entry.history.sorted { $0.modifiedAt ?? 0 < $1.modifiedAt ?? 0 }
        let values = states.map { ($0["Password"], $0.modifiedAt ?? 0) } + [(current, entry.modifiedAt ?? now)]
        guard values.contains(where: { !$0.0.isEmpty }) else { return nil }
        var password = Password("", changedAt: entry.createdAt ?? now)
        for (index, (value, time)) in values.enumerated() {
            // The first state that is kept has a password that is as old as the entry, as far as anybody knows.
            password.change(to: SecretText(value), at: index == 0 ? entry.createdAt ?? time : time)
        }
        return password
    }

    /// The entry's own tags, and its groups as one: `Work/Servers`.
    private func tags(_ entry: KDBXDocument.Entry, _ item: inout Item) -> [String] {
        var tags: [String] = []
        let own = entry.tags.split(whereSeparator: { $0 == ";" || $0 == "," }).map { ItemTitle.clean(String($0)) }
        let groups = entry.groups.map { ItemTitle.clean($0) }.joined(separator: "/")
        for tag in own + [groups] where !tag.isEmpty && !tags.contains(tag) {
            // Strongbox marks favourites with this tag.
            if tag == "Favorite" { item.isFavorite = true } else { tags.append(tag) }
        }
        return tags
    }

    private mutating func attachments(_ entry: KDBXDocument.Entry, _ place: String) -> [Attachment] {
        var attachments: [Attachment] = []
        var total = 0
        for file in entry.files {
            guard let content = document.files[file.reference] else {
                notices.append(ImportNotice(place: place, .skipped, "An attachment has no content in the file."))
                continue
            }
            guard content.count <= Attachment.maximumSize, attachments.count < Attachment.maximumCount,
                total + content.count <= Attachment.maximumTotal
            else {
                let text =
                    "An attachment of \(content.count) bytes was left out: an item has at most \(Attachment.maximumCount) "
                    + "of at most \(Attachment.maximumSize >> 20) MiB each."
                notices.append(ImportNotice(place: place, .skipped, text))
                continue
            }
            total += content.count
            attachments.append(Attachment(name: file.name, content: content))
        }
        return attachments
    }

    // MARK: - Codes

    private mutating func codes(_ rest: inout KDBXFields, _ place: String) -> [OneTimePassword] {
        var codes: [OneTimePassword] = []
        // Ward writes further codes of an entry under names that no other program has.
        let more = rest.left.map(\.key).filter { $0.hasPrefix("otp (") && $0.hasSuffix(")") }.map(KDBXCodes.link)
        for spelling in KDBXCodes.all + more {
            let found = rest.peekAll(spelling.keys)
            guard found.keys.contains(where: KDBXCodes.isSecret) else { continue }
            do throws(OneTimePasswordError) {
                let code = try spelling.code(found)
                _ = rest.takeAll { spelling.keys.contains($0) }
                if !codes.contains(where: { $0.secret == code.secret && $0.kind == code.kind }) { codes.append(code) }
            } catch {
                let text =
                    "The verification code is kept as fields, because Ward does not understand it: \(error.detail)."
                notices.append(ImportNotice(place: place, .kept, text))
            }
        }
        return codes
    }

    // MARK: - Passkeys

    private mutating func passkeys(
        _ rest: inout KDBXFields,
        _ entry: KDBXDocument.Entry,
        _ place: String,
        now: Int64
    ) -> [StoredPasskey] {
        let found = rest.peekAll { KDBXPasskey.isKey($0) }
        guard !found.isEmpty else { return [] }
        let isKeePassXC = document.generator.hasPrefix("KeePassXC")
        guard
            let passkey = KDBXPasskey.passkey(
                found,
                createdAt: entry.createdAt ?? now,
                flagsIfMissing: !isKeePassXC
            )
        else {
            let text = "The passkey is kept as fields, because it is incomplete or its key is of an unknown kind."
            notices.append(ImportNotice(place: place, .kept, text))
            return []
        }
        _ = rest.takeAll { KDBXPasskey.isRead($0) }
        return [passkey]
    }
}

/// The texts of an entry that no part of an item has taken yet.
struct KDBXFields {
    private(set) var left: [KDBXDocument.Entry.Text]

    /// Empty values are dropped, as the programs do with the five fields of every entry.
    init(_ texts: [KDBXDocument.Entry.Text]) { left = texts.filter { !$0.value.isEmpty } }

    /// Removes the first text with a key, and returns its value; empty if there is none.
    mutating func take(_ key: String) -> String {
        guard let index = left.firstIndex(where: { $0.key == key }) else { return "" }
        return left.remove(at: index).value
    }

    /// Removes all texts with keys that match.
    mutating func takeAll(_ matches: (String) -> Bool) -> [KDBXDocument.Entry.Text] {
        let taken = left.filter { matches($0.key) }
        left.removeAll { matches($0.key) }
        return taken
    }

    /// The values of some keys.
    func peekAll(_ keys: [String]) -> [String: String] { peekAll { keys.contains($0) } }

    func peekAll(_ matches: (String) -> Bool) -> [String: String] {
        Dictionary(left.filter { matches($0.key) }.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
