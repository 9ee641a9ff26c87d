public import WardWebAuthn

/// An event of an account, for the audit log.
///
/// It contains no names, addresses or secrets. The account's ID identifies the person, even after the account was deleted.
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
        /// A passkey was deleted because a better one, which takes its place, signed in.
        public static let passkeyReplaced = Self(rawValue: "passkey_replaced")
        /// A password was set or changed.
        public static let passwordSet = Self(rawValue: "password_set")
        /// A password was removed.
        public static let passwordRemoved = Self(rawValue: "password_removed")
        /// A session began.
        public static let signedIn = Self(rawValue: "signed_in")
        /// The browser's own session ended.
        public static let signedOut = Self(rawValue: "signed_out")
        /// The browser bound its session to its device.
        public static let sessionBound = Self(rawValue: "session_bound")
        /// One session or all sessions of the account were ended.
        public static let sessionsEnded = Self(rawValue: "sessions_ended")
        /// A recovery link was made.
        public static let recoveryLinkMade = Self(rawValue: "recovery_link_made")
        /// An invitation was made; it belongs to no account yet.
        public static let invitationMade = Self(rawValue: "invitation_made")
        /// An invitation was revoked; it belonged to no account.
        public static let invitationRevoked = Self(rawValue: "invitation_revoked")
        /// A token of the admin API was made; it belongs to no account.
        public static let adminTokenMade = Self(rawValue: "admin_token_made")
        /// A token of the admin API was revoked; it belonged to no account.
        public static let adminTokenRevoked = Self(rawValue: "admin_token_revoked")
        /// A client of OpenID Connect was added, changed or removed, or its secret was replaced.
        public static let clientChanged = Self(rawValue: "client_changed")
        /// A key that signs ID tokens was made or replaced.
        public static let keyRotated = Self(rawValue: "key_rotated")
        /// The person signed in to a client of OpenID Connect.
        public static let clientSignedIn = Self(rawValue: "client_signed_in")
        /// The person allowed a device to sign in, with the code that it showed.
        public static let deviceAllowed = Self(rawValue: "device_allowed")
        /// The person refused a device that showed a code.
        public static let deviceRefused = Self(rawValue: "device_refused")
        /// A code or a refresh token was used twice, so all tokens of this sign-in to a client ended.
        public static let grantReused = Self(rawValue: "grant_reused")
        /// An e-mail address was given, which is not confirmed yet.
        public static let emailRequested = Self(rawValue: "email_requested")
        /// An e-mail address was confirmed and belongs to the account now.
        public static let emailConfirmed = Self(rawValue: "email_confirmed")
        /// The account's e-mail address was removed.
        public static let emailRemoved = Self(rawValue: "email_removed")

        /// The groups of the account changed.
        public static let groupsChanged = Self(rawValue: "groups_changed")

        /// A person with a recovery link asked for the wait after which it opens the account.
        public static let recoveryWaiting = Self(rawValue: "recovery_waiting")
        /// A recovery that waited was stopped.
        public static let recoveryStopped = Self(rawValue: "recovery_stopped")
        /// An account at an identity provider was linked, and signs in from now on.
        public static let identityLinked = Self(rawValue: "identity_linked")
        /// The link to an account at an identity provider was removed.
        public static let identityUnlinked = Self(rawValue: "identity_unlinked")
        /// A second step of sign-ins was added.
        public static let factorAdded = Self(rawValue: "factor_added")
        /// A second step of sign-ins was removed.
        public static let factorRemoved = Self(rawValue: "factor_removed")
        /// Recovery codes were made, which replace those from before.
        public static let recoveryCodesMade = Self(rawValue: "recovery_codes_made")
        /// A recovery code was used.
        public static let recoveryCodeUsed = Self(rawValue: "recovery_code_used")

        /// An account was named as a helper for a recovery.
        public static let helperNamed = Self(rawValue: "helper_named")
        /// A person accepted to help with a recovery.
        public static let helperAccepted = Self(rawValue: "helper_accepted")
        /// The owner or the helper ended the help.
        public static let helperRemoved = Self(rawValue: "helper_removed")
        /// A person with a recovery link asked the helpers.
        public static let helpersAsked = Self(rawValue: "helpers_asked")
        /// A helper approved a recovery.
        public static let helperApproved = Self(rawValue: "helper_approved")

        /// The owner deleted a vault of the account from the sync server.
        public static let vaultDeleted = Self(rawValue: "vault_deleted")

        /// The kinds after which a passkey no longer works.
        package static let passkeyEndings: [Self] = [.passkeyDeleted, .passkeyReplaced]

        /// The kinds that this version writes.
        package static let known: [Self] = [
            .accountCreated, .accountDeleted, .accountRenamed, .accountDisabled, .accountEnabled, .passkeyAdded,
            .passkeyDeleted, .passkeyReplaced, .passwordSet, .passwordRemoved, .signedIn, .signedOut, .sessionBound,
            .sessionsEnded,
            .recoveryLinkMade, .invitationMade, .invitationRevoked, .adminTokenMade, .adminTokenRevoked, .clientChanged,
            .keyRotated,
            .clientSignedIn, .deviceAllowed, .deviceRefused, .grantReused, .emailRequested, .emailConfirmed,
            .emailRemoved, .groupsChanged, .factorAdded, .factorRemoved, .recoveryCodesMade, .recoveryCodeUsed,
            .recoveryWaiting, .recoveryStopped, .identityLinked, .identityUnlinked, .helperNamed, .helperAccepted,
            .helperRemoved, .helpersAsked, .helperApproved, .vaultDeleted,
        ]
    }

    /// Who did it.
    public enum Actor: String, Hashable, Sendable {
        /// A person at the account: its owner, or another person who gave the same proof.
        case owner
        /// An administrator, through a command of `ward-server`, the admin API or the admin page.
        case `operator`
        /// The service itself, when the time for it came.
        case service
    }

    /// How the person proved to be the owner.
    public enum Method: String, Hashable, Sendable {
        /// With a passkey.
        case passkey
        /// With a password.
        case password
        /// At an identity provider.
        case federated
        /// With a recovery link.
        case recoveryLink = "recovery_link"
        /// With a link that was mailed to the account's address.
        case mailLink = "mail_link"
    }

    /// The time of the event, in seconds since 1970.
    public var time: Int64
    /// What happened.
    public var kind: Kind
    /// Who did it.
    public var actor: Actor
    /// The account of the event, or `nil` if there is none.
    public var account: AccountID?
    /// How the person proved to be the owner, or `nil` if the event needed no proof.
    public var method: Method?
    /// The passkey that was used, added or deleted.
    public var credential: CredentialID?
    /// More about it.
    public var details: AuditDetails

    /// Creates an event.
    public init(
        _ kind: Kind,
        at time: Int64,
        by actor: Actor = .owner,
        of account: AccountID?,
        method: Method? = nil,
        credential: CredentialID? = nil,
        details: AuditDetails = AuditDetails()
    ) {
        self.kind = kind
        self.time = time
        self.actor = actor
        self.account = account
        self.method = method
        self.credential = credential
        self.details = details
    }
}

/// One row of the audit log: an event and a hash.
///
/// The hash covers the row and the hash of the row before.
public struct AuditEntry: Hashable, Sendable {
    /// The row's number.
    ///
    /// The first row has 1, and each row has a number that is higher by one.
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
