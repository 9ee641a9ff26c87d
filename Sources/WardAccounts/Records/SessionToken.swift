import Crypto
import WardWebAuthn

/// What a signed-in browser carries: 256 random bits, of which the store only ever sees the hash.
///
/// Whoever reads the database, or a backup of it, can therefore not take over a session. Because the token is
/// random and long, one round of SHA-256 is enough; salts and slow hashes are for what people think up.
///
/// Neither printing nor `dump` shows the token; ``text`` has to be asked for.
public struct SessionToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How long every token is.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// Accepts bytes made elsewhere, or `nil` unless there are 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads what a cookie brought, or `nil` for anything that cannot be a token.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Makes a new one; traps when the source does not give as many bytes as it was asked for.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(made: drawn(byteCount, from: randomBytes))
    }

    /// The secret, base64url without padding, 43 characters: for the cookie and nothing else.
    public var text: String { Base64URL.encode(bytes) }

    /// SHA-256 of the token's bytes: what is stored, and what a session is looked up by.
    public var hash: [UInt8] { [UInt8](SHA256.hash(data: bytes)) }

    /// Never the token.
    public var description: String { "SessionToken(hidden)" }
    /// Never the token.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private init(made bytes: [UInt8]) {
        self.bytes = bytes
    }
}
