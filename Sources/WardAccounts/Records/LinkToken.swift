/// The secret in a link that works once, such as the link of an invitation: 256 random bits.
///
/// The store has only its hash, so a reader of the database cannot use the link.
public struct LinkToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The length of ``hash``, in bytes.
    public static let hashLength = 32

    /// The token of a session has the same form.
    private let secret: SessionToken

    /// Reads the text of a link, or returns `nil` if it cannot be a token.
    public init?(text: String) {
        guard let secret = SessionToken(text: text) else { return nil }
        self.secret = secret
    }

    private init(_ secret: SessionToken) {
        self.secret = secret
    }

    /// Creates a random token.
    ///
    /// It traps if the source returns fewer bytes than requested.
    public static func random(using randomBytes: (_ count: Int) -> [UInt8]) -> Self {
        Self(.random(using: randomBytes))
    }

    /// The secret in base64url without padding, 43 characters, for the link only.
    public var text: String { secret.text }
    /// SHA-256 of the token's bytes, which is stored.
    public var hash: [UInt8] { secret.hash }
    /// The text that is shown instead of the token.
    public var description: String { "LinkToken(hidden)" }
    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
