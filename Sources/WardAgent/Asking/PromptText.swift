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
