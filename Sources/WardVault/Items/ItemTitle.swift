/// What a person calls an item, where the name comes from outside: from a site, a link, a file.
package enum ItemTitle {
    /// The name in one line, without characters that act instead of showing; empty when nothing is left.
    package static func clean(_ text: String) -> String {
        let shown = text.unicodeScalars.map { $0.properties.isWhitespace ? " " : $0 }.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .surrogate: false
            default: !scalar.properties.isBidiControl
            }
        }
        return String(String.UnicodeScalarView(shown)).trimmed
    }
}
