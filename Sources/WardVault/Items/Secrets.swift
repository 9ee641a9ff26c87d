/// Text that only its owner may see: it prints, dumps and debugs as a placeholder.
public struct SecretText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    /// The text itself, for the one who asked for it.
    public var revealed: String

    /// Hides a text.
    public init(_ text: String) { revealed = text }
    /// Hides a text written in code, for tests and samples.
    public init(stringLiteral value: String) { revealed = value }

    /// Whether there is no text.
    public var isEmpty: Bool { revealed.isEmpty }
    /// A placeholder of fixed length.
    public var description: String { "••••••" }
    /// A placeholder of fixed length.
    public var debugDescription: String { description }
    /// Shows nothing to whoever dumps the value.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares byte for byte: two spellings of a letter are two passwords.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.revealed.utf8.elementsEqual(rhs.revealed.utf8) }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in revealed.utf8 { hasher.combine(byte) }
    }
}

/// Bytes that only their owner may see: they print, dump and debug as a placeholder.
public struct SecretBytes: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The bytes themselves, for the one who asked for them.
    public var revealed: [UInt8]

    /// Hides bytes.
    public init(_ bytes: [UInt8]) { revealed = bytes }

    /// A placeholder of fixed length.
    public var description: String { "••••••" }
    /// A placeholder of fixed length.
    public var debugDescription: String { description }
    /// Shows nothing to whoever dumps the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
