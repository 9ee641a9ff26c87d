/// A token that a client has, under its hash.
///
/// It ends with its ``OAuthGrant``. Times are seconds since 1970.
public struct OAuthToken: Hashable, Sendable {
    /// What a token is for.
    ///
    /// Stores use the raw value.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It opens what the person allowed, for minutes.
        case access
        /// It gets new tokens, once.
        case refresh
    }

    /// ``SessionToken/hash`` of the token.
    public var hash: [UInt8]
    /// What it is for.
    public var kind: Kind
    /// ``OAuthGrant/codeHash`` of the grant that it belongs to.
    public var grant: [UInt8]
    /// When it was issued.
    public var createdAt: Int64
    /// When it ends at the latest.
    public var expiresAt: Int64
    /// When a refresh token was used, `nil` until then.
    public var replacedAt: Int64?
    /// The hash of the refresh token that replaced it.
    public var successor: [UInt8]?

    /// Creates a record.
    public init(
        hash: [UInt8],
        kind: Kind,
        grant: [UInt8],
        createdAt: Int64,
        expiresAt: Int64,
        replacedAt: Int64? = nil,
        successor: [UInt8]? = nil
    ) {
        self.hash = hash
        self.kind = kind
        self.grant = grant
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.replacedAt = replacedAt
        self.successor = successor
    }

    /// Whether it has expired: at the exact second of ``expiresAt``, or because it seems to be from the future.
    public func isExpired(at now: Int64) -> Bool { !(createdAt..<expiresAt).contains(now) }
}
