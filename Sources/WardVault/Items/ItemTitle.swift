/// The title of an item, from a site, a link or a file.
package enum ItemTitle {
    /// The title on one line without control characters.
    ///
    /// It can be empty.
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
