internal import Crypto
internal import WardText
internal import WardVault

/// Turns items into the XML of a KDBX file.
struct KDBXXML {
    /// The entries and the files that they share.
    struct Document {
        var entries: [KDBXDocument.Entry] = []
        var files: [[UInt8]] = []
        var now: Int64 = 0
    }

    private(set) var document = Document()
    /// The numbers of the attached files that are in the document already.
    private var numbers: [[UInt8]: Int] = [:]

    init(_ source: ExportSource) {
        document.now = source.now
        for item in source.items { add(item, source) }
    }

    private mutating func add(_ item: Item, _ source: ExportSource) {
        var entry = KDBXDocument.Entry()
        entry.uuid = item.id.bytes
        entry.texts = Self.texts(item)
        entry.tags = (item.tags + (item.isFavorite ? ["Favorite"] : [])).joined(separator: ";")
        entry.createdAt = item.createdAt
        entry.modifiedAt = item.modifiedAt
        for attachment in item.attachments {
            guard let content = source.contents[attachment.id]?.revealed else { continue }
            let hash = Array(SHA256.hash(data: content))
            let number = numbers[hash] ?? document.files.count
            if numbers.updateValue(number, forKey: hash) == nil { document.files.append(content) }
            entry.files.append((Self.free(attachment.name, entry.files.map(\.name)), String(number)))
        }
        entry.history = history(of: item, entry)
        document.entries.append(entry)
        // An entry has one passkey, so the others become entries of their own.
        for passkey in item.passkeys.dropFirst() {
            var further = Item(
                title: item.title,
                sites: item.sites,
                username: item.username,
                createdAt: passkey.createdAt
            )
            further.passkeys = [passkey]
            add(further, source)
        }
    }

    /// One earlier state for each earlier password.
    private func history(of item: Item, _ entry: KDBXDocument.Entry) -> [KDBXDocument.Entry] {
        guard let password = item.password else { return [] }
        var states: [KDBXDocument.Entry] = []
        // Latest first in the item, oldest first in the file. A password is as old as its predecessor's end.
        var since = item.createdAt
        for previous in password.history.reversed() {
            var state = KDBXDocument.Entry()
            state.uuid = entry.uuid
            state.createdAt = entry.createdAt
            state.modifiedAt = since
            state.texts = entry.texts.filter { ["Title", "UserName", "URL"].contains($0.key) }
            state.texts.append(.init(key: "Password", value: previous.value.revealed, isProtected: true))
            states.append(state)
            since = previous.replacedAt
        }
        return states
    }

    private static func texts(_ item: Item) -> [KDBXDocument.Entry.Text] {
        var texts: [KDBXDocument.Entry.Text] = []
        func add(_ key: String, _ value: String, isProtected: Bool = false) {
            guard !value.isEmpty || texts.count < 5 else { return }
            // XML has no control characters, but a hidden value may have any.
            let isHidden =
                isProtected
                || value.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) }
            texts.append(.init(key: free(key, texts.map(\.key)), value: value, isProtected: isHidden))
        }
        let addresses = item.sites.map { site in
            switch site.target {
            case .androidApp(let name): "androidapp://" + name
            case .iosApp(let name): "iosapp://" + name
            case .web(let text), .other(_, let text): text
            }
        }
        add("Title", item.title)
        add("UserName", item.username)
        add("Password", item.password?.value.revealed ?? "", isProtected: true)
        add("URL", addresses.first ?? "")
        add("Notes", item.notes.revealed)
        for (index, address) in addresses.dropFirst().enumerated() {
            add(index == 0 ? "KP2A_URL" : "KP2A_URL_\(index)", address)
        }
        for code in item.codes { add("otp", code.link, isProtected: true) }
        for passkey in item.passkeys.prefix(1) {
            for (key, value) in KDBXPasskey.fields(passkey) {
                add(key, value, isProtected: key.hasSuffix("PEM") || key.hasSuffix("HANDLE") || key.hasSuffix("_ID"))
            }
        }
        for section in item.sections {
            for field in section.fields {
                let label = field.label.isEmpty ? field.name.rawValue : field.label
                let name = section.label.isEmpty ? label : "\(section.label): \(label)"
                let value = field.value.text ?? field.value.bytes.map { Base64.encode($0) } ?? ""
                add(name.isEmpty ? "field" : name, value, isProtected: field.isConcealed)
            }
        }
        return texts
    }

    /// A name that is not taken yet: the names of an entry's texts and of its files are unique.
    private static func free(_ name: String, _ taken: [String]) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }
}

extension KDBXXML.Document {
    /// The XML in UTF-8, with hidden values.
    func xml(_ stream: KDBXInnerStream) -> [UInt8] {
        var writer = XMLWriter(stream)
        writer.open("KeePassFile")
        writer.open("Meta")
        writer.put("Generator", "Ward")
        writer.put("RecycleBinEnabled", "False")
        writer.put("HistoryMaxItems", "-1")
        writer.close("Meta")
        writer.open("Root")
        writer.open("Group")
        // Any fixed ID: a file has one such group.
        writer.put("UUID", Base64.encode([UInt8](repeating: 0x57, count: 16)))
        writer.put("Name", "Ward")
        for entry in entries { put(entry, &writer) }
        writer.close("Group")
        writer.close("Root")
        writer.close("KeePassFile")
        return writer.bytes
    }

    private func put(_ entry: KDBXDocument.Entry, _ writer: inout XMLWriter) {
        writer.open("Entry")
        writer.put("UUID", Base64.encode(entry.uuid))
        writer.put("IconID", "0")
        if !entry.tags.isEmpty { writer.put("Tags", entry.tags) }
        let createdAt = entry.createdAt ?? now
        let modifiedAt = entry.modifiedAt ?? createdAt
        writer.open("Times")
        writer.put("CreationTime", KDBXTime.text(createdAt))
        writer.put("LastModificationTime", KDBXTime.text(modifiedAt))
        writer.put("LastAccessTime", KDBXTime.text(modifiedAt))
        writer.put("ExpiryTime", KDBXTime.text(modifiedAt))
        writer.put("Expires", "False")
        writer.put("UsageCount", "0")
        writer.put("LocationChanged", KDBXTime.text(createdAt))
        writer.close("Times")
        for text in entry.texts {
            writer.open("String")
            writer.put("Key", text.key)
            writer.put("Value", text.value, isProtected: text.isProtected)
            writer.close("String")
        }
        for file in entry.files {
            writer.open("Binary")
            writer.put("Key", file.name)
            writer.raw("<Value Ref=\"\(file.reference)\"/>")
            writer.close("Binary")
        }
        if !entry.history.isEmpty {
            writer.open("History")
            for state in entry.history { put(state, &writer) }
            writer.close("History")
        }
        writer.close("Entry")
    }
}

/// Writes elements with text.
private struct XMLWriter {
    private(set) var bytes = Array("<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>\n".utf8)
    private var stream: KDBXInnerStream

    init(_ stream: KDBXInnerStream) { self.stream = stream }

    mutating func raw(_ text: String) { bytes += text.utf8 }
    mutating func open(_ name: String) { raw("<\(name)>") }
    mutating func close(_ name: String) { raw("</\(name)>") }

    mutating func put(_ name: String, _ text: String, isProtected: Bool = false) {
        if isProtected {
            raw("<\(name) Protected=\"True\">\(Base64.encode(stream.next(Array(text.utf8))))</\(name)>")
            return
        }
        open(name)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": raw("&amp;")
            case "<": raw("&lt;")
            case ">": raw("&gt;")
            case "\r": raw("&#13;")
            // XML does not have these.
            case "\0"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": continue
            default: bytes += String(scalar).utf8
            }
        }
        close(name)
    }
}
