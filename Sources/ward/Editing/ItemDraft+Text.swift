import Foundation

/// A draft as the text for an editor: one value per line, then the notes.
extension ItemDraft {
    private static let help = """
        # Change the values, save and close. Removing a line removes its value.
        # A value with line breaks, or with spaces at its ends, stands in quotes: "a\\nb"
        # More lines: site, site (host), tag, field LABEL, hidden LABEL. Notes come last.
        """

    var text: String {
        var lines = [Self.help]
        lines += Self.lines.map { $0.word + ": " + Self.quoted($0.text(self)) }
        lines += sites.map { "site" + ($0.match == "domain" ? "" : " (\($0.match))") + ": " + Self.quoted($0.address) }
        lines += tags.map { "tag: " + Self.quoted($0) }
        lines += fields.map {
            ($0.isConcealed ? "hidden " : "field ") + Self.quoted($0.label, isLabel: true) + ": "
                + Self.quoted($0.value)
        }
        return (lines + ["notes:", notes]).joined(separator: "\n") + "\n"
    }

    /// Reads a text.
    ///
    /// - Throws: ``Failure`` that names the line.
    init(text: String) throws(Failure) {
        self.init()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (number, line) in lines.enumerated() {
            let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
            if line == "notes:" {
                notes = lines[(number + 1)...].joined(separator: "\n")
                while notes.hasSuffix("\n") { notes.removeLast() }
                return
            }
            guard !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) else { continue }
            guard read(line) else {
                throw Failure(.usage, "Line \(number + 1) is not understood. A line is a name, a colon and a value")
            }
        }
    }

    private mutating func read(_ line: String) -> Bool {
        for (word, isConcealed) in [("field ", false), ("hidden ", true)] where line.hasPrefix(word) {
            guard let (label, rest) = Self.label(line.dropFirst(word.count)), !label.isEmpty,
                let value = Self.unquoted(rest)
            else { return false }
            fields.append(Field(label: label, value: value, isConcealed: isConcealed))
            return true
        }
        guard let colon = line.firstIndex(of: ":"), let value = Self.unquoted(line[line.index(after: colon)...]) else {
            return false
        }
        let name = line[..<colon].trimmingCharacters(in: .whitespaces)
        if let line = Self.lines.first(where: { $0.word == name }) { return line.set(&self, value) }
        switch name {
        case "tag": if !value.isEmpty { tags.append(value) }
        case "site": if !value.isEmpty { sites.append(Site(address: value)) }
        default:
            guard name.hasPrefix("site ("), name.hasSuffix(")") else { return false }
            sites.append(Site(address: value, match: String(name.dropFirst(6).dropLast())))
        }
        return true
    }

    /// A label and the text after its colon.
    ///
    /// The label ends at the first colon, or is in quotation marks.
    private static func label(_ text: Substring) -> (String, Substring)? {
        guard text.hasPrefix("\"") else {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            return (text[..<colon].trimmingCharacters(in: .whitespaces), text[text.index(after: colon)...])
        }
        var end = text.index(after: text.startIndex)
        while end < text.endIndex, text[end] != "\"" {
            if text[end] == "\\", text.index(after: end) < text.endIndex { end = text.index(after: end) }
            end = text.index(after: end)
        }
        guard end < text.endIndex, let label = unquoted(text[...end]) else { return nil }
        let rest = text[text.index(after: end)...].drop { $0 == " " }
        return rest.hasPrefix(":") ? (label, rest.dropFirst()) : nil
    }

    /// The value as it is, or as a JSON string if it does not fit on one line.
    private static func quoted(_ value: String, isLabel: Bool = false) -> String {
        let isPlain =
            !value.hasPrefix("\"") && value.trimmingCharacters(in: .whitespaces) == value
            && value.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7f && $0.value != 0x85 && $0.value != 0x2028 && $0.value != 0x2029
            }
            && !(isLabel && (value.contains(":") || value.isEmpty))
        if isPlain { return value }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? value
    }

    private static func unquoted(_ text: Substring) -> String? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("\"") else { return text }
        return try? JSONDecoder().decode(String.self, from: Data(text.utf8))
    }
}
