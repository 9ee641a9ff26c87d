/// A text from outside that a prompt can show: nothing in it moves a cursor, ends a line or hides.
struct CleanText: Hashable, Sendable, CustomStringConvertible {
    let description: String

    private init(_ description: String) { self.description = description }

    /// A name on one line of at most 64 characters; `nil` for one of which nothing is left.
    static func name(_ text: String) -> CleanText? {
        let clean = text.cleanedForPrompt
        return clean.isEmpty ? nil : CleanText(clean)
    }

    /// A name on one line of at most 64 characters, possibly empty.
    static func label(_ text: String) -> CleanText { CleanText(text.cleanedForPrompt) }

    /// A host name; of a long one the end.
    static func domain(_ text: String) -> CleanText { CleanText(text.domainForPrompt) }

    /// A path in quotation marks; a long one shortened in the middle.
    static func path(_ text: String) -> CleanText { CleanText(text.pathForPrompt) }
}

extension String {
    /// A text from outside as a prompt shows it: one line, nothing that moves a cursor, at most 64 characters and 256 bytes.
    var cleanedForPrompt: String { String(printable.prefix(64)).clipped(to: 256) }

    /// The text without what no name has: control characters and the like.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isInvisible }))
    }

    /// A path as a prompt and an error show it: in quotation marks, on one line, shortened in the middle.
    ///
    /// What cannot be seen, or would turn the text around, is shown as `�`, so that a folder cannot be named like a sentence
    /// of the prompt.
    var pathForPrompt: String {
        let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
            if scalar.isInvisible || scalar.properties.isDefaultIgnorableCodePoint { return "\u{fffd}" }
            return scalar == "\"" ? "'" : scalar
        }
        let clean = String(String.UnicodeScalarView(scalars))
        guard clean.count > 64 || clean.utf8.count > 192 else { return "\"\(clean)\"" }
        let head = String(clean.prefix(24)).clipped(to: 72)
        let tail = String(String(clean.suffix(39).reversed()).clipped(to: 117).reversed())
        return "\"\(head)…\(tail)\""
    }

    /// A host name of at most 100 characters; of a longer one the end, which says whose it is.
    var domainForPrompt: String {
        let clean = printable
        return clean.utf8.count <= 100 ? clean : "…" + clean.suffix(96)
    }

    /// The first characters that fit into so many bytes.
    fileprivate func clipped(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var out = ""
        for character in self {
            guard out.utf8.count + character.utf8.count <= limit else { break }
            out.append(character)
        }
        return out
    }
}

extension Unicode.Scalar {
    /// Whether it cannot be seen, ends a line, or changes the direction of the text.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
