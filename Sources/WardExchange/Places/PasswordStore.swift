internal import Foundation
internal import WardText
internal import WardVault

/// A store of pass, passage or gopass: a folder in which each entry is an encrypted text file.
///
/// The caller decrypts the files with the store's own programs. This type reads the texts.
///
/// The first line of a text is the password. Lines such as `user: ada` and `url: https://example.com` are fields, a line that
/// begins with `otpauth://` is a verification code, and all others are notes.
public struct PasswordStore: Sendable {
    /// An entry, decrypted.
    public struct Entry: Sendable {
        /// The path in the store, without the ending of the file: `web/example.com/ada`.
        public var path: String
        /// The decrypted text.
        public var content: [UInt8]

        /// Creates an entry.
        public init(path: String, content: [UInt8]) {
            self.path = path
            self.content = content
        }
    }

    /// The maximum size of a decrypted entry, in bytes.
    ///
    /// The largest attachment fits in, written in base64.
    public static let maximumEntrySize = 2 << 20

    /// Reads the entries of a store.
    ///
    /// - Parameters:
    ///   - entries: The entries in the order of the folders.
    ///   - now: The time of the import, in seconds since 1970.
    /// - Returns: One item for each entry, and notices about the rest.
    /// - Throws: ``ImportError`` with `tooLarge`.
    public static func contents(of entries: [Entry], now: Int64) throws(ImportError) -> ImportedFile {
        guard entries.count <= ImportSource.maximumItems else {
            throw ImportError(.tooLarge, "the store has more than \(ImportSource.maximumItems) entries")
        }
        var file = ImportedFile()
        for entry in entries {
            let draft = PasswordStoreText(entry, now: now).draft
            file.notices += draft.notices
            file.items.append(draft.finished())
        }
        return file
    }
}

/// Reads the text of one entry.
private struct PasswordStoreText {
    private(set) var draft: ItemDraft
    private var notes: [String] = []
    /// What says that the rest of the text is a file in base64: `Content-Disposition` of gopass.
    private var fileName: String?
    private var isBase64 = false

    private static let usernames: Set = ["user", "username", "user name", "login", "email", "e-mail", "mail"]
    private static let sites: Set = ["url", "uri", "website", "site", "link", "address"]
    private static let codes: Set = ["totp", "otp", "otpauth", "2fa"]
    private static let comments: Set = ["note", "notes", "comment", "comments"]
    /// Words in the names of fields that are secrets.
    private static let secrets = [
        "pass", "pin", "secret", "key", "token", "code", "cvv", "cvc", "puk", "answer", "seed",
    ]
    private static let magic = "GOPASS-SECRET-1.0"

    init(_ entry: PasswordStore.Entry, now: Int64) {
        let parts = entry.path.split(separator: "/").map { ItemTitle.clean(String($0)) }
        let name = parts.last ?? ""
        draft = ItemDraft(title: name, fallback: "Entry", now: now)
        let folders = parts.dropLast().filter { !$0.isEmpty }
        if !folders.isEmpty { draft.tags = [folders.joined(separator: "/")] }
        let text = String(validating: entry.content, as: UTF8.self)
        // gopass 1.5 writes files as base64 with this ending.
        let isFile = name.hasSuffix(".b64")
        if isFile, let content = text.flatMap({ Base64.decode(lenient: $0.filter { !$0.isWhitespace }) }) {
            attach(content, named: String(name.dropLast(4)))
        } else if let text {
            read(text)
            guess(folders: folders, name: name)
            draft.notes = notes.joined(separator: "\n")
            let isEmpty = draft.password.isEmpty && draft.username.isEmpty && draft.sites.isEmpty && draft.codes.isEmpty
            if isEmpty { draft.kind = .note }
        } else {
            attach(entry.content, named: name)
        }
    }

    private mutating func read(_ text: String) {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)[...]
        let isOld = lines.first == Self.magic
        if let first = lines.popFirst(), !isOld {
            if isCode(first) { draft.addCode(first) } else { draft.password = first }
        }
        while let line = lines.popFirst() {
            if isBase64, line.isEmpty {
                if let content = Base64.decode(lenient: lines.joined()) {
                    return attach(content, named: fileName ?? draft.title)
                }
            }
            add(line, isOld: isOld)
        }
        while notes.last?.isEmpty == true { notes.removeLast() }
        if let start = notes.firstIndex(where: { !$0.isEmpty }) { notes.removeFirst(start) }
    }

    private mutating func add(_ line: String, isOld: Bool) {
        let shown = line.trimmed
        if isCode(shown) { return draft.addCode(shown) }
        if shown == "---" { return }
        guard let colon = line.firstIndex(of: ":"), line.first?.isWhitespace == false, line[..<colon].count <= 60 else {
            return notes.append(line)
        }
        let name = String(line[..<colon]).trimmed
        let value = String(line[line.index(after: colon)...])
        // An address is not a field with the name https.
        if value.hasPrefix("//") {
            if name == "https" || name == "http" { draft.addSite(shown) } else { notes.append(line) }
            return
        }
        add(name, value.trimmed, isOld: isOld, line)
    }

    private mutating func add(_ name: String, _ value: String, isOld: Bool, _ line: String) {
        let key = name.lowercased()
        if value.isEmpty { return notes.append(line) }
        if isOld, key == "password" {
            draft.password = value
        } else if Self.usernames.contains(key), draft.username.isEmpty {
            draft.username = value
        } else if Self.sites.contains(key) {
            draft.addSite(value)
        } else if Self.codes.contains(key) {
            draft.addCode(value)
        } else if Self.comments.contains(key) {
            notes.append(value)
        } else if key == "content-transfer-encoding" {
            isBase64 = value.lowercased() == "base64"
        } else if key == "content-disposition", let start = value.range(of: "filename=\"") {
            fileName = String(value[start.upperBound...].prefix { $0 != "\"" })
        } else {
            draft.addField(name, value, isConcealed: Self.secrets.contains { key.contains($0) })
        }
    }

    private func isCode(_ line: String) -> Bool { line.lowercased().hasPrefix("otpauth://") }

    /// Takes the site and the user name from the path, as people of pass write them: `example.com/ada`.
    private mutating func guess(folders: [String], name: String) {
        guard draft.sites.isEmpty else { return }
        if Self.isHost(name) {
            draft.addSite(name)
        } else if let folder = folders.last, Self.isHost(folder) {
            draft.addSite(folder)
            if draft.username.isEmpty {
                draft.username = name
                draft.title = folder
            }
        }
    }

    private static func isHost(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy(\.isLetter) else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
        }
    }

    private mutating func attach(_ content: [UInt8], named name: String) {
        draft.kind = .note
        guard content.count <= Attachment.maximumSize else {
            return draft.note(.skipped, "a file of more than \(Attachment.maximumSize >> 20) MiB is left out")
        }
        draft.attachments = [Attachment(name: name, content: content)]
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
