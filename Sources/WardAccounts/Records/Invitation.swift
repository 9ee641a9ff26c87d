/// The right to create one account where registration is by invitation.
///
/// It is used up by the account that it creates. Times are seconds since 1970.
public struct Invitation: Hashable, Sendable {
    /// ``InvitationToken/hash`` of the token in the invitation's link.
    public var tokenHash: [UInt8]
    /// When it was made.
    public var createdAt: Int64
    /// When it ends if nobody uses it.
    public var expiresAt: Int64

    /// Creates a record.
    public init(tokenHash: [UInt8], createdAt: Int64, expiresAt: Int64) {
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether it has expired: at the exact second of ``expiresAt``, or because it seems to be from the future.
    public func isExpired(at now: Int64) -> Bool {
        !(createdAt..<expiresAt).contains(now)
    }
}

/// The secret of an invitation: 256 random bits in its link.
///
/// The store has only its hash, so a reader of the database cannot create an account.
public struct InvitationToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The length of ``hash``, in bytes.
    public static let hashLength = 32

    /// A session's token has the same form.
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
    /// A placeholder instead of the token.
    public var description: String { "InvitationToken(hidden)" }
    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
