/// A text from outside that a prompt can show: it has no line breaks, no invisible characters, and no characters that move the
/// cursor.
struct CleanText: Hashable, Sendable, CustomStringConvertible {
    let description: String

    private init(_ description: String) { self.description = description }

    /// A name on one line of at most 64 characters.
    ///
    /// It is `nil` if no visible character is left.
    static func name(_ text: String) -> CleanText? {
        let clean = text.cleanedForPrompt
        return clean.isEmpty ? nil : CleanText(clean)
    }

    /// A name on one line of at most 64 characters, possibly empty.
    static func label(_ text: String) -> CleanText { CleanText(text.cleanedForPrompt) }

    /// A host name.
    ///
    /// If it is too long, only its end is used.
    static func domain(_ text: String) -> CleanText { CleanText(text.domainForPrompt) }

    /// A path in quotation marks.
    ///
    /// If it is too long, its middle is left out.
    static func path(_ text: String) -> CleanText { CleanText(text.pathForPrompt) }
}

extension String {
    /// A text from outside in the form for a prompt: one line without invisible characters or characters that move the cursor,
    /// at most 64 characters and 256 bytes.
    var cleanedForPrompt: String { String(printable.prefix(64)).clipped(to: 256) }

    /// The text without invisible characters: control and format characters, line separators, and characters without a meaning.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isInvisible }))
    }

    /// A path in the form for prompts and errors: in quotation marks, on one line, without its middle if it is too long.
    ///
    /// Invisible characters and characters that change the direction of text are shown as `�`. So the name of a folder cannot
    /// look like a sentence of the prompt.
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

    /// A host name of at most 100 characters.
    ///
    /// Of a longer name the end is shown, because the end tells who owns the domain.
    var domainForPrompt: String {
        let clean = printable
        return clean.utf8.count <= 100 ? clean : "…" + clean.suffix(96)
    }

    /// The longest prefix of whole characters that has at most this number of bytes.
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
    /// Whether the character is invisible, ends a line, or changes the direction of the text.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
