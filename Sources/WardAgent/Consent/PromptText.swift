extension String {
    /// A text from outside as a prompt shows it: one line, nothing that moves a cursor, and no longer than a prompt is wide.
    var cleanedForPrompt: String { String(printable.prefix(64)) }

    /// The text without what no name has: control characters and the like.
    var printable: String {
        let scalars = unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
