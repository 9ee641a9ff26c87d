/// A message that waits to be sent: an e-mail, or a text message to a telephone.
///
/// It is stored in the transaction of the change that it tells about, so that none is lost. It has no text and no secret: both
/// are made when it is sent. It stays when its account is deleted. Times are seconds since 1970.
public struct OutboxMail: Hashable, Sendable {
    /// The length of an ID, in bytes.
    public static let idLength = 16

    /// What the message is about.
    ///
    /// Later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The stored word.
        public let rawValue: String
        /// Creates a kind from a stored word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It has the link that confirms the address.
        public static let addressCheck = Self(rawValue: "address_check")
        /// A passkey was added.
        public static let passkeyAdded = Self(rawValue: "passkey_added")
        /// A passkey was deleted.
        public static let passkeyDeleted = Self(rawValue: "passkey_deleted")
        /// A password was set or changed.
        public static let passwordSet = Self(rawValue: "password_set")
        /// The password was removed.
        public static let passwordRemoved = Self(rawValue: "password_removed")
        /// A browser signed in that had not signed in before.
        public static let newDevice = Self(rawValue: "new_device")
        /// A recovery link was used.
        public static let recoveryUsed = Self(rawValue: "recovery_used")
        /// The address that gets this message is no longer the account's.
        public static let addressChanged = Self(rawValue: "address_changed")
        /// It has the link with which the owner gets back in.
        public static let recoveryLink = Self(rawValue: "recovery_link")
        /// The people who run the service made a recovery link.
        public static let operatorLink = Self(rawValue: "operator_link")
        /// Somebody with a recovery link asked for the wait after which it opens the account.
        public static let recoveryWaiting = Self(rawValue: "recovery_waiting")
        /// A recovery that waited was stopped.
        public static let recoveryStopped = Self(rawValue: "recovery_stopped")
        /// It has the code that confirms a telephone number.
        public static let numberCheck = Self(rawValue: "number_check")
        /// An account at an identity provider was linked.
        public static let identityLinked = Self(rawValue: "identity_linked")
        /// The link to an account at an identity provider was removed.
        public static let identityUnlinked = Self(rawValue: "identity_unlinked")
        /// It has a code for a sign-in.
        public static let signInCode = Self(rawValue: "sign_in_code")
        /// A second step of sign-ins was added.
        public static let factorAdded = Self(rawValue: "factor_added")
        /// A second step of sign-ins was removed.
        public static let factorRemoved = Self(rawValue: "factor_removed")
        /// Recovery codes were made, which replace those from before.
        public static let recoveryCodesMade = Self(rawValue: "recovery_codes_made")
        /// A recovery code was used.
        public static let recoveryCodeUsed = Self(rawValue: "recovery_code_used")
        /// It asks a person to help with the recovery of another account.
        public static let helperWanted = Self(rawValue: "helper_wanted")
        /// A helper for a recovery was named.
        public static let helperNamed = Self(rawValue: "helper_named")
        /// A person accepted to help with a recovery.
        public static let helperAccepted = Self(rawValue: "helper_accepted")
        /// The owner or the helper ended the help.
        public static let helperRemoved = Self(rawValue: "helper_removed")
        /// Somebody with a recovery link asked the helpers.
        public static let helpersAsked = Self(rawValue: "helpers_asked")
        /// A helper approved a recovery.
        public static let helperApproved = Self(rawValue: "helper_approved")
        /// The account was deleted.
        public static let accountDeleted = Self(rawValue: "account_deleted")
    }

    /// The message's ID: 16 random bytes.
    ///
    /// Its `Message-ID` is made from them, so it is the same at each try.
    public var id: [UInt8]
    /// The account that it is about.
    public var accountID: AccountID
    /// What it is about.
    public var kind: Kind
    /// Where it goes.
    public var address: MessageAddress
    /// Its language, as a BCP 47 tag.
    public var language: String
    /// The account's user name when it happened.
    public var username: String
    /// When it happened.
    public var createdAt: Int64
    /// How often it was tried to send the message.
    public var attempts: Int64
    /// When it is tried to send the message, or tried again.
    public var dueAt: Int64

    /// Creates a record.
    public init(
        id: [UInt8],
        accountID: AccountID,
        kind: Kind,
        address: MessageAddress,
        language: String,
        username: String,
        createdAt: Int64,
        attempts: Int64 = 0,
        dueAt: Int64
    ) {
        self.id = id
        self.accountID = accountID
        self.kind = kind
        self.address = address
        self.language = language
        self.username = username
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
    }

    /// A message about an account that is due at once.
    ///
    /// - Parameters:
    ///   - kind: What it is about.
    ///   - account: The account.
    ///   - address: Where it goes.
    ///   - language: Its language, as a BCP 47 tag.
    ///   - now: Seconds since 1970.
    ///   - id: ``idLength`` random bytes.
    package init(
        _ kind: Kind,
        about account: Account,
        to address: MessageAddress,
        in language: String,
        at now: Int64,
        id: [UInt8]
    ) {
        self.init(
            id: id,
            accountID: account.id,
            kind: kind,
            address: address,
            language: language,
            username: account.username.text,
            createdAt: now,
            dueAt: now
        )
    }
}
