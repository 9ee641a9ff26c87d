/// The name of a group of accounts, such as `admins`, by which apps decide what a person may do.
///
/// It has 1 to 64 of the characters `a` to `z`, `0` to `9`, `-`, `_` and `.`, and begins with a letter or a digit. So a list of
/// names can be written with commas or spaces between them, in a header field too.
public struct GroupName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The largest number of characters.
    public static let maximumLength = 64
    /// The largest number of groups that an account can be in.
    public static let maximumCount = 32

    /// The name.
    public let text: String
    /// A description: the same text as ``text``.
    public var description: String { text }

    /// Reads a name.
    ///
    /// - Parameter text: The name, which is not changed: `Admins` is an error.
    /// - Throws: ``GroupNameError`` if it is not a name of a group.
    public init(_ text: String) throws(GroupNameError) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard let first = text.utf8.first, Self.isLetterOrDigit(first),
            text.utf8.allSatisfy({ Self.isLetterOrDigit($0) || Array("-_.".utf8).contains($0) })
        else { throw .malformed }
        self.text = text
    }

    /// By the bytes of the names.
    public static func < (a: Self, b: Self) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The reason why a text is not the name of a group, for people.
public enum GroupNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is longer than ``GroupName/maximumLength``.
    case tooLong
    /// The text is empty, has another character, or does not begin with a letter or a digit.
    case malformed

    /// What to do.
    public var description: String {
        switch self {
        case .tooLong: "The name of a group has at most \(GroupName.maximumLength) characters."
        case .malformed:
            "The name of a group has only the characters a to z, 0 to 9, -, _ and ., and begins with a letter or a digit."
        }
    }
}
