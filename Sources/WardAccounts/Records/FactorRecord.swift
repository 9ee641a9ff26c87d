/// Something beside passkeys and the password that can prove who the owner of an account is.
///
/// Times are seconds since 1970.
public struct FactorRecord: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// What it is.
    ///
    /// Later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The stored word.
        public let rawValue: String
        /// Creates a kind from a stored word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An app that shows verification codes.
        public static let authenticatorApp = Self(rawValue: "authenticator_app")
        /// The owner's wish to get codes by e-mail as a second step.
        public static let mailCodes = Self(rawValue: "mail_codes")
        /// A telephone number that gets codes in text messages.
        public static let textCodes = Self(rawValue: "text_codes")
        /// One of the codes that the owner keeps on paper.
        public static let recoveryCode = Self(rawValue: "recovery_code")
        /// An account at an identity provider, such as Google or Apple.
        public static let federated = Self(rawValue: "federated")
    }

    /// The largest length of ``key``, in bytes.
    public static let maximumKeyLength = 64

    /// The account; never changes.
    public var accountID: AccountID
    /// What it is; never changes.
    public var kind: Kind
    /// What finds the record among all of its kind: 1 to ``maximumKeyLength`` bytes.
    ///
    /// It never changes.
    public var key: [UInt8]
    /// What the kind needs: a secret, a number, a name.
    ///
    /// Only the service reads it.
    public var payload: [UInt8]
    /// The time when it was added.
    public var createdAt: Int64
    /// The time when the owner proved to have it; `nil` while it counts for nothing.
    public var confirmedAt: Int64?
    /// The time when it last proved something.
    public var lastUsedAt: Int64?
    /// A number that only grows: for an app, the time step of the last code that was accepted.
    public var counter: Int64

    /// Creates a record.
    public init(
        accountID: AccountID,
        kind: Kind,
        key: [UInt8],
        payload: [UInt8],
        createdAt: Int64,
        confirmedAt: Int64? = nil,
        lastUsedAt: Int64? = nil,
        counter: Int64 = 0
    ) {
        self.accountID = accountID
        self.kind = kind
        self.key = key
        self.payload = payload
        self.createdAt = createdAt
        self.confirmedAt = confirmedAt
        self.lastUsedAt = lastUsedAt
        self.counter = counter
    }

    /// A description without key and payload, because they can be secret.
    public var description: String { "FactorRecord(\(kind.rawValue) of \(accountID))" }
    /// A mirror without key and payload.
    public var customMirror: Mirror { Mirror(self, children: ["accountID": accountID, "kind": kind.rawValue]) }
}
