import Foundation

/// A user name: what the person typed, and the form by which names are told apart.
///
/// Names follow the UsernameCaseMapped profile of PRECIS
/// ([RFC 8265, section 3.3](https://www.rfc-editor.org/rfc/rfc8265#section-3.3)) over its IdentifierClass
/// ([RFC 8264, section 4.2](https://www.rfc-editor.org/rfc/rfc8264#section-4.2)): width mapping, lower case, NFC, the
/// Bidi Rule; letters, marks and digits of every script, and of the rest only what ASCII prints. Names that look like
/// mail addresses are therefore fine. It departs from the profile in four places, each so that fewer names that look
/// alike are different:
/// - NFC comes first as well as last, so that canonically equivalent spellings are always judged alike. The profile
///   would refuse Korean syllables that a keyboard or file system took apart; here they are put together.
/// - Final sigma counts as sigma. Otherwise ΟΔΥΣΣΕΑΣ could not sign in to the account of Οδυσσεας.
/// - The joiners U+200C and U+200D are refused everywhere, since they cannot be seen. Persian names are written
///   without them.
/// - A name does not begin with a combining mark, which would attach itself to whatever is printed before the name.
///
/// Lower case is Unicode's, without the rules of any language: İ becomes i and a dot above, ı stays, ß stays. What the
/// profile leaves alone is left alone here: look-alikes of different scripts (Latin a, Cyrillic а) are different.
///
/// Two names are *equal* when they were typed alike; they *collide* when ``mapped`` is the same.
public struct Username: Hashable, Sendable, CustomStringConvertible {
    /// The most characters in a name; a character is an extended grapheme cluster, what a person would call one.
    public static let maximumCharacters = 64
    /// The most Unicode scalars, typed and mapped, since a cluster alone has no end.
    public static let maximumScalars = 256
    /// The most bytes in UTF-8, typed and mapped.
    public static let maximumBytes = 1024

    /// As typed, in NFC: what is shown.
    public let text: String
    /// What names are unique by; never shown, but itself a name that maps to itself.
    public let mapped: String

    /// The same as ``text``.
    public var description: String { text }

    /// Checks and maps what a person typed.
    ///
    /// Nothing is trimmed: a page that wants to forgive a space at the end removes it first. The cost is bounded,
    /// however long the text is.
    ///
    /// - Parameter typed: Anything at all.
    /// - Throws: ``UsernameError`` with the first thing that is wrong.
    public init(_ typed: String) throws(UsernameError) {
        // Before any work that grows with the text.
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

    /// Puts a name back together that was checked when it was stored: for stores alone.
    ///
    /// Nothing is checked again, so that a name outlives the version of Unicode it was made under.
    public init(storedText text: String, mapped: String) {
        self.text = text
        self.mapped = mapped
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

/// Fullwidth and halfwidth forms become the ordinary ones (RFC 8265, section 3.3.2, rule 1).
enum WidthMapping {
    static func apply(to text: String) throws(UsernameError) -> String {
        guard text.unicodeScalars.contains(where: isForm) else { return text }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isForm(scalar) else {
                mapped.append(scalar)
                continue
            }
            // Halfwidth Hangul letters map to letters that are themselves variants of others.
            if scalar.value >= 0xffa0 { throw UsernameError(.containsUnusualLetter, at: scalar) }
            mapped.append(contentsOf: String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars)
        }
        return String(mapped).precomposedStringWithCanonicalMapping
    }

    /// The symbols from U+FFE0 on are left out: whatever they map to is refused as well.
    private static func isForm(_ scalar: Unicode.Scalar) -> Bool {
        (0xff01...0xffdc).contains(scalar.value) && scalar.value != 0xffa0
    }
}
