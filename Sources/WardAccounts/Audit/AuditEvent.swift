public import WardWebAuthn

/// Something that happened to an account, for the audit log.
///
/// It has no names, addresses or secrets: the account's ID stands for the person, also after the account is deleted.
public struct AuditEvent: Hashable, Sendable {
    /// What happened.
    ///
    /// Later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The stored word.
        public let rawValue: String
        /// Creates a kind from a stored word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An account was created.
        public static let accountCreated = Self(rawValue: "account_created")
        /// An account was deleted.
        public static let accountDeleted = Self(rawValue: "account_deleted")
        /// The user name or the display name changed.
        public static let accountRenamed = Self(rawValue: "account_renamed")
        /// An account was disabled.
        public static let accountDisabled = Self(rawValue: "account_disabled")
        /// An account was enabled again.
        public static let accountEnabled = Self(rawValue: "account_enabled")
        /// A passkey was added.
        public static let passkeyAdded = Self(rawValue: "passkey_added")
        /// A passkey was deleted.
        public static let passkeyDeleted = Self(rawValue: "passkey_deleted")
        /// A password was set or changed.
        public static let passwordSet = Self(rawValue: "password_set")
        /// A password was removed.
        public static let passwordRemoved = Self(rawValue: "password_removed")
        /// A session began.
        public static let signedIn = Self(rawValue: "signed_in")
        /// The browser's own session ended.
        public static let signedOut = Self(rawValue: "signed_out")
        /// One session or all sessions of the account were ended.
        public static let sessionsEnded = Self(rawValue: "sessions_ended")
        /// A recovery link was made.
        public static let recoveryLinkMade = Self(rawValue: "recovery_link_made")
        /// An invitation was made; it belongs to no account yet.
        public static let invitationMade = Self(rawValue: "invitation_made")
    }

    /// Who did it.
    public enum Actor: String, Hashable, Sendable {
        /// A person at the account: its owner, or somebody who proved the same.
        case owner
        /// An administrator, with a command.
        case `operator`
    }

    /// How the person proved to be the owner.
    public enum Method: String, Hashable, Sendable {
        /// With a passkey.
        case passkey
        /// With a password.
        case password
        /// With a recovery link.
        case recoveryLink = "recovery_link"
    }

    /// When it happened, in seconds since 1970.
    public var time: Int64
    /// What happened.
    public var kind: Kind
    /// Who did it.
    public var actor: Actor
    /// The account that it happened to; `nil` if there is none.
    public var account: AccountID?
    /// How the person proved to be the owner; `nil` if nothing was proven for this event.
    public var method: Method?
    /// The passkey that was used, added or deleted.
    public var credential: CredentialID?

    /// Creates an event.
    public init(
        _ kind: Kind,
        at time: Int64,
        by actor: Actor = .owner,
        of account: AccountID?,
        method: Method? = nil,
        credential: CredentialID? = nil
    ) {
        self.kind = kind
        self.time = time
        self.actor = actor
        self.account = account
        self.method = method
        self.credential = credential
    }
}

/// One row of the audit log: an event, and the hash that joins it to the rows before.
public struct AuditEntry: Hashable, Sendable {
    /// The row's number: 1 for the first one ever, then one more each time.
    public var number: Int64
    /// What happened.
    public var event: AuditEvent
    /// SHA-256 over the row and the hash of the row before.
    public var hash: [UInt8]

    /// Creates a record, only for stores.
    public init(number: Int64, event: AuditEvent, hash: [UInt8]) {
        self.number = number
        self.event = event
        self.hash = hash
    }
}
