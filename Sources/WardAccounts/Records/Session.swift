/// The session of one browser that is signed in, or of a device that a person signed in with a code.
///
/// Times are seconds since 1970.
public struct Session: Hashable, Sendable {
    /// The method of a sign-in.
    ///
    /// Stores and the API use the raw value.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// With a passkey.
        case passkey
        /// With a password.
        case password
        /// At an identity provider, such as Google or Apple.
        case federated
    }

    /// What a person proved after a first factor.
    ///
    /// Later versions may add kinds. Stores and the API use the raw value.
    public struct SecondFactor: RawRepresentable, Hashable, Sendable {
        /// The stored word.
        public let rawValue: String
        /// Creates a kind from a stored word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A code of an authenticator app.
        public static let authenticatorApp = Self(rawValue: "authenticator_app")
        /// A code from a message to the account's e-mail address.
        public static let mailCode = Self(rawValue: "mail_code")
        /// A code from a text message to the account's telephone number.
        public static let textCode = Self(rawValue: "text_code")
        /// A recovery code.
        public static let recoveryCode = Self(rawValue: "recovery_code")
    }

    /// The session's ID.
    public var id: SessionID
    /// ``SessionToken/hash`` of the token in the browser's cookie.
    public var tokenHash: [UInt8]
    /// The account that is signed in.
    public var accountID: AccountID
    /// The time when this session began.
    public var createdAt: Int64
    /// The time when the person signed in.
    ///
    /// It decides whether a sign-in counts as recent.
    public var authenticatedAt: Int64
    /// The method of the sign-in.
    ///
    /// It never changes, because each sign-in starts a new session.
    public var method: Method
    /// The last proof with a passkey, or `nil` if there was none.
    ///
    /// A session that began with a password or at an identity provider has a proof if the same browser had signed in with a passkey of the account before.
    /// A session from before Ward stored proofs has none, even if it began with a passkey.
    public var passkeyProof: PasskeyProof?
    /// What the person proved after the first factor, or `nil` if that was enough.
    public var secondFactor: SecondFactor?
    /// The time when the session was last used.
    public var lastSeenAt: Int64
    /// The time when the session ends if it is not used before; `nil` if there is no such limit.
    public var idleExpiresAt: Int64?
    /// The time when the session ends in any case.
    public var expiresAt: Int64
    /// The browser's User-Agent, for the list of sessions that the owner sees; the client's name for a device.
    public var userAgent: String
    /// The client on whose device the session is; `nil` for a browser.
    ///
    /// No cookie and no bearer token opens such a session: only the client's tokens belong to it.
    public var clientID: String?
    /// The key of the device to which the session is bound, or `nil` if the browser registered none.
    ///
    /// Once it is set, it never changes, so that a stolen cookie cannot register another key.
    public var binding: SessionBinding?

    /// Creates a record.
    public init(
        id: SessionID,
        tokenHash: [UInt8],
        accountID: AccountID,
        createdAt: Int64,
        authenticatedAt: Int64,
        method: Method,
        passkeyProof: PasskeyProof? = nil,
        secondFactor: SecondFactor? = nil,
        lastSeenAt: Int64,
        idleExpiresAt: Int64?,
        expiresAt: Int64,
        userAgent: String,
        clientID: String? = nil,
        binding: SessionBinding? = nil
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.accountID = accountID
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.method = method
        self.passkeyProof = passkeyProof
        self.secondFactor = secondFactor
        self.lastSeenAt = lastSeenAt
        self.idleExpiresAt = idleExpiresAt
        self.expiresAt = expiresAt
        self.userAgent = userAgent
        self.clientID = clientID
        self.binding = binding
    }

    /// Whether the session has expired.
    ///
    /// At the exact second of a limit it has already expired.
    public func isExpired(at now: Int64) -> Bool {
        if expiresAt <= now { return true }
        guard let idleExpiresAt else { return false }
        return idleExpiresAt <= now
    }
}
