import WardWebAuthn

/// Names an account for as long as it exists; never reused, says nothing about the person.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
    /// How long every identifier is.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Accepts bytes made earlier, or `nil` unless there are 16.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads ``text`` back, or `nil` for anything else.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Makes a new one; traps when the source does not give as many bytes as it was asked for.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// Base64url without padding, 22 characters.
    public var text: String { Base64URL.encode(bytes) }
    /// The same as ``text``.
    public var description: String { text }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Names a session to its owner, for lists and for ending it; it opens nothing, unlike the ``SessionToken``.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// How long every identifier is.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Accepts bytes made earlier, or `nil` unless there are 16.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads ``text`` back, or `nil` for anything else.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Makes a new one; traps when the source does not give as many bytes as it was asked for.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// Base64url without padding, 22 characters.
    public var text: String { Base64URL.encode(bytes) }
    /// The same as ``text``.
    public var description: String { text }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// A source of randomness that gives too little must not go unnoticed: identifiers would repeat.
func drawn(_ count: Int, from randomBytes: (_ count: Int) -> [UInt8]) -> [UInt8] {
    let bytes = randomBytes(count)
    precondition(bytes.count == count, "the source of randomness gave \(bytes.count) bytes instead of \(count)")
    return bytes
}
