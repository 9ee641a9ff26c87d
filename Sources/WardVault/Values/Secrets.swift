/// Secret text.
///
/// Printing, `dump` and debuggers show a placeholder instead.
public struct SecretText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    /// The text itself.
    public var revealed: String

    /// Wraps a text.
    public init(_ text: String) { revealed = text }
    /// Creates a secret from a text literal, for tests and samples.
    public init(stringLiteral value: String) { revealed = value }

    /// Whether the text is empty.
    public var isEmpty: Bool { revealed.isEmpty }
    /// A placeholder of fixed length.
    public var description: String { "••••••" }
    /// A placeholder of fixed length.
    public var debugDescription: String { description }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares byte for byte: different encodings of a letter are different passwords.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.revealed.utf8.elementsEqual(rhs.revealed.utf8) }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in revealed.utf8 { hasher.combine(byte) }
    }
}

/// Secret bytes.
///
/// Printing, `dump` and debuggers show a placeholder instead.
public struct SecretBytes: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The bytes themselves.
    public var revealed: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { revealed = bytes }

    /// A placeholder of fixed length.
    public var description: String { "••••••" }
    /// A placeholder of fixed length.
    public var debugDescription: String { description }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
