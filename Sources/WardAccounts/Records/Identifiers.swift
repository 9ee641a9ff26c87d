internal import WardText

/// The ID of an account: random, never used again, and without information about the person.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
    /// The length of an ID, in bytes.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Creates an ID from 16 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads ``text``, or returns `nil` for anything else.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Creates a random ID.
    ///
    /// It traps if the source returns fewer bytes than requested.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// Base64url without padding, 22 characters.
    public var text: String { Base64URL.encode(bytes) }
    /// A description: the same text as ``text``.
    public var description: String { text }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The ID of a session.
///
/// Lists show it, and a session is ended by it.
///
/// Unlike the ``SessionToken`` it is not secret.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The length of an ID, in bytes.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Creates an ID from 16 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads ``text``, or returns `nil` for anything else.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Creates a random ID.
    ///
    /// It traps if the source returns fewer bytes than requested.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// Base64url without padding, 22 characters.
    public var text: String { Base64URL.encode(bytes) }
    /// A description: the same text as ``text``.
    public var description: String { text }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Traps if a source of randomness returns too few bytes, because IDs could then repeat.
func drawn(_ count: Int, from randomBytes: (_ count: Int) -> [UInt8]) -> [UInt8] {
    let bytes = randomBytes(count)
    precondition(bytes.count == count, "the source of randomness gave \(bytes.count) bytes instead of \(count)")
    return bytes
}
