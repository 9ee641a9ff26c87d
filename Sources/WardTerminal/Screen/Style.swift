internal import Foundation

/// Styles that are visible on light and dark backgrounds.
///
/// None of them uses a colour.
package enum Style {
    package static func bold(_ text: String) -> String { styled(text, 1) }
    package static func dim(_ text: String) -> String { styled(text, 2) }
    /// The foreground and background colours are exchanged.
    package static func reversed(_ text: String) -> String { styled(text, 7) }

    /// Whether styles may be used on a descriptor: a capable terminal, and [NO_COLOR](https://no-color.org) is not set.
    package static func isWanted(on descriptor: CInt, environment given: [String: String]? = nil) -> Bool {
        let environment = given ?? ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" && isatty(descriptor) == 1
    }

    private static func styled(_ text: String, _ code: Int) -> String {
        text.isEmpty ? "" : "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
}
