internal import Foundation

/// The form in which names that look the same on a terminal are the same.
package enum NameSkeleton {
    /// The name without white space, invisible characters and upper case, in Unicode's compatibility form (NFKC).
    ///
    /// Letters of other scripts that look like Latin ones stay different.
    package static func of(_ name: String) -> String {
        let folded = name.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
        let visible = folded.unicodeScalars.filter { !isInvisible($0) }
        return String(String.UnicodeScalarView(visible)).precomposedStringWithCompatibilityMapping
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        // The last one is a braille pattern without dots.
        default: return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
    }
}
