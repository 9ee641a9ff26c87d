import Foundation

/// A user name: the typed text, and the mapped form by which names are compared.
///
/// Names follow the UsernameCaseMapped profile of PRECIS ([RFC 8265, section
/// 3.3](https://www.rfc-editor.org/rfc/rfc8265#section-3.3)) over its IdentifierClass ([RFC 8264, section
/// 4.2](https://www.rfc-editor.org/rfc/rfc8264#section-4.2)): width mapping, lower case, NFC, the Bidi Rule; letters,
/// marks and digits of every script, and the other printable ASCII characters. So names that look like e-mail addresses
/// are allowed. Ward differs from the profile in four ways, so that fewer similar names count as different:
/// - NFC comes first as well as last, so that canonically equivalent spellings get the same result. The profile would
///   refuse Korean syllables that a keyboard or file system has decomposed; here they are composed.
/// - Final sigma counts as sigma. Otherwise ΟΔΥΣΣΕΑΣ could not sign in to the account of Οδυσσεας.
/// - The joiners U+200C and U+200D are refused everywhere, because they are invisible. Write Persian names without
///   them.
/// - A name must not begin with a combining mark, which would join the text before the name.
///
/// Lower case is Unicode's, without language rules: İ becomes i and a dot above, ı stays, ß stays. As in the profile,
/// similar letters of different scripts (Latin a, Cyrillic а) are different.
///
/// Two names are *equal* if they were typed the same; they *collide* if ``mapped`` is the same.
public struct Username: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length in characters (extended grapheme clusters).
    public static let maximumCharacters = 64
    /// The maximum length in Unicode scalars, typed and mapped, because one cluster can have any number of scalars.
    public static let maximumScalars = 256
    /// The maximum length in bytes of UTF-8, typed and mapped.
    public static let maximumBytes = 1024

    /// The typed text in NFC, for display.
    public let text: String
    /// The mapped form, which is unique over all accounts.
    ///
    /// It is never displayed, and it maps to itself.
    public let mapped: String

    /// A description: the same text as ``text``.
    public var description: String { text }

    /// Checks and maps a typed name.
    ///
    /// Nothing is trimmed: a page that tolerates a space at the end must remove it first. The cost is bounded for any
    /// length.
    ///
    /// - Parameter typed: Any text.
    /// - Throws: ``UsernameError`` with the first problem.
    public init(_ typed: String) throws(UsernameError) {
        // The length is checked first, so that no work grows with the text.
        guard typed.utf8.count <= Self.maximumBytes else { throw UsernameError(.tooLong) }
        guard !typed.isEmpty else { throw UsernameError(.empty) }
        if typed.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            guard typed.utf8.count <= Self.maximumCharacters else { throw UsernameError(.tooLong) }
            self.init(storedText: typed, mapped: typed.lowercased())
            return
        }
        let text = typed.precomposedStringWithCanonicalMapping
        let widened = try WidthMapping.apply(to: text)
        try IdentifierClass.check(widened)
        let mapped = Self.lowerCased(widened).precomposedStringWithCanonicalMapping
        try IdentifierClass.check(mapped)
        try ContextRules.check(mapped)
        try BidiRule.check(mapped)
        guard text.count <= Self.maximumCharacters, Self.fits(text), Self.fits(mapped) else {
            throw UsernameError(.tooLong)
        }
        self.init(storedText: text, mapped: mapped)
    }

    /// Creates a name from stored values, only for stores.
    ///
    /// The name is not checked again. So it can still be used after an update of Unicode that no longer allows it.
    public init(storedText text: String, mapped: String) {
        self.text = text
        self.mapped = mapped
    }

    /// The mapped form of the first characters of a name, for a search.
    ///
    /// Characters that no name can have stay as they are, so that nothing is found.
    package static func mappedPrefix(_ typed: String) -> String {
        guard typed.utf8.count <= maximumBytes else { return typed }
        let text = typed.precomposedStringWithCanonicalMapping
        let widened = (try? WidthMapping.apply(to: text)) ?? text
        return lowerCased(widened).precomposedStringWithCanonicalMapping
    }

    private static func fits(_ text: String) -> Bool {
        text.utf8.count <= maximumBytes && text.unicodeScalars.count <= maximumScalars
    }

    private static func lowerCased(_ text: String) -> String {
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            mapped.append(contentsOf: lower.lazy.map { $0 == "\u{3c2}" ? "\u{3c3}" : $0 })
        }
        return String(mapped)
    }
}

/// Maps fullwidth and halfwidth forms to the ordinary ones (RFC 8265, section 3.3.2, rule 1).
enum WidthMapping {
    static func apply(to text: String) throws(UsernameError) -> String {
        guard text.unicodeScalars.contains(where: isForm) else { return text }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isForm(scalar) else {
                mapped.append(scalar)
                continue
            }
            // Halfwidth Hangul letters map to letters that are themselves variants.
            if scalar.value >= 0xffa0 { throw UsernameError(.containsUnusualLetter, at: scalar) }
            mapped.append(contentsOf: String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars)
        }
        return String(mapped).precomposedStringWithCanonicalMapping
    }

    /// The symbols from U+FFE0 on are not in the table, because names with their mappings are refused too.
    private static func isForm(_ scalar: Unicode.Scalar) -> Bool {
        (0xff01...0xffdc).contains(scalar.value) && scalar.value != 0xffa0
    }
}
