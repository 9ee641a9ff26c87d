/// The name of one of a person's vaults.
///
/// A name is a part of paths, so it has 1 to 32 ASCII letters, digits, hyphens and underscores, and begins with a letter or a
/// digit. The longest one leaves room for `$XDG_RUNTIME_DIR` in the 107 bytes of a socket's path.
package struct VaultName: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of characters.
    package static let maximumLength = 32
    /// The name of the default vault.
    package static let standard = VaultName(checked: "default")

    package let description: String

    private init(checked text: String) { description = text }

    /// Reads a name; `nil` if the text is not a valid one.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.first.map({ $0.isLetter || $0.isNumber }) ?? false
        else { return nil }
        self.init(checked: text)
    }

    /// Whether it is the name of the default vault.
    package var isStandard: Bool { self == .standard }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
