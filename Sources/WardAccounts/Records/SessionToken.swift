import Crypto
internal import WardText

/// The secret of a browser that is signed in: 256 random bits.
///
/// The store has only its hash.
///
/// So a person who reads the database, or a backup of it, cannot take over a session. The token is random and long, so
/// one round of SHA-256 is enough; salts and slow hashes are for passwords.
///
/// Neither printing nor `dump` shows the token; use ``text`` to read it.
public struct SessionToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The length of a token, in bytes.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// Creates a token from 32 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads a cookie's value, or returns `nil` if it cannot be a token.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Creates a random token.
    ///
    /// It traps if the source returns fewer bytes than requested.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// The secret in base64url without padding, 43 characters, for the cookie only.
    public var text: String { Base64URL.encode(bytes) }

    /// SHA-256 of the token's bytes.
    ///
    /// It is stored, and sessions are looked up by it.
    public var hash: [UInt8] { [UInt8](SHA256.hash(data: bytes)) }

    /// The text that is shown instead of the token.
    public var description: String { "SessionToken(hidden)" }
    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}
