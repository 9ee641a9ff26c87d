internal import Crypto
internal import WardText

/// The secret of a session or of an invitation: 256 random bits.
///
/// A store has only its hash, so a person who reads the database can use none of them. Neither printing nor `dump` shows the
/// secret.
public struct SyncToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The length of a secret.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// A token of random bytes, or `nil` if the length is wrong.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads the text of a header field, or returns `nil` if it cannot be a token.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The secret in base64url without padding, 43 characters.
    public var text: String { Base64URL.encode(bytes) }

    /// SHA-256 of the secret.
    public var hash: TokenHash { TokenHash(Array(SHA256.hash(data: bytes))) }

    /// A fixed text, and no secret.
    public var description: String { "SyncToken(hidden)" }
    /// Shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// SHA-256 of a ``SyncToken``: what a store keeps of it.
public struct TokenHash: Hashable, Sendable {
    /// Thirty-two bytes.
    public let bytes: [UInt8]

    /// A hash that was stored.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
