public import WardCTAP
public import WardWebAuthn

/// A question to the person.
public struct ConsentRequest: Hashable, Sendable {
    /// An account for display in a prompt.
    public struct Account: Hashable, Sendable {
        /// The credential ID, if the passkey already exists.
        public let credentialID: CredentialID?
        /// The user handle of the account.
        public let userHandle: UserHandle
        /// The user name.
        ///
        /// It is text from outside and must be shown as such.
        public let name: String
        /// The display name.
        ///
        /// It is text from outside and must be shown as such.
        public let displayName: String
        /// When the passkey was created, in seconds since 1970, if it already exists.
        public let createdAt: Int64?

        /// Names an account.
        package init(
            credentialID: CredentialID?,
            userHandle: UserHandle,
            name: String,
            displayName: String,
            createdAt: Int64? = nil
        ) {
            self.credentialID = credentialID
            self.userHandle = userHandle
            self.name = name
            self.displayName = displayName
            self.createdAt = createdAt
        }
    }

    /// The kind of question.
    public enum Question: Hashable, Sendable {
        /// Whether to create a passkey for `account`.
        ///
        /// It replaces the passkeys `replacing` of the same account. If `isExcluded`, a passkey exists that the relying
        /// party excludes: if the person agrees, the relying party is told, and no passkey is created.
        case makePasskey(account: Account, replacing: [Account], isExcluded: Bool)
        /// Which passkey to sign in with, the newest first.
        ///
        /// If the list is empty, the person is still asked, so that a page learns nothing from the time. The prompt says that
        /// there is no passkey, and nothing is signed, whatever the person answers.
        case usePasskey([Account])
        /// Whether the person wants to use this authenticator.
        case selectAuthenticator
    }

    /// The kind of question.
    public let question: Question
    /// The RP ID; `nil` for a selection.
    public let rpID: String?
    /// The relying party's name for itself.
    ///
    /// Any site can use any name.
    public let rpName: String?
    /// Whether presence is required: a click or a touch.
    public let wantsPresence: Bool
    /// Whether verification is required: the passphrase, a PIN, a fingerprint.
    public let wantsVerification: Bool
    /// Whether a yes without verification is enough although verification is wanted.
    ///
    /// The relying party prefers verification but does not require it: verify the person if that is easy for them.
    public let isVerificationOptional: Bool
    /// The context of the request: origin and caller for the text, the time limit, and whether a form's autofill replaces the
    /// prompt.
    public let context: CeremonyContext

    /// Puts a question together.
    package init(
        question: Question,
        rpID: String?,
        rpName: String?,
        wantsPresence: Bool,
        wantsVerification: Bool,
        isVerificationOptional: Bool = false,
        context: CeremonyContext
    ) {
        self.question = question
        self.rpID = rpID
        self.rpName = rpName
        self.wantsPresence = wantsPresence
        self.wantsVerification = wantsVerification
        self.isVerificationOptional = isVerificationOptional
        self.context = context
    }
}

/// The result of a prompt.
public enum ConsentAnswer: Hashable, Sendable {
    /// The person agreed. The value says how.
    case agreed(ConsentAgreement)
    /// The person declined.
    case refused
    /// The person did not answer in time.
    case timedOut
    /// The request was cancelled.
    case cancelled
}

/// The way in which a person agreed.
///
/// These values become flags in the signed data.
public struct ConsentAgreement: Hashable, Sendable {
    /// Whether a person was present and did something that only a person can do, such as a click or a touch.
    public var isPresent: Bool
    /// Whether the person was verified for this request.
    public var isVerified: Bool
    /// The passkey that the person picked; `nil` if there was no choice, or the prompt cannot show one.
    public var chosen: CredentialID?

    /// Creates an agreement.
    public init(isPresent: Bool, isVerified: Bool, chosen: CredentialID? = nil) {
        self.isPresent = isPresent
        self.isVerified = isVerified
        self.chosen = chosen
    }
}

/// Whether user verification is possible.
public enum VerificationCapability: Hashable, Sendable {
    /// Not supported.
    case unsupported
    /// Verification is supported but not set up.
    case notConfigured
    /// Ready.
    case ready
}

/// Asks the owner of the passkeys for consent.
///
/// The authenticator trusts every answer. Calls of several requests can overlap; prompts that cannot overlap should
/// wait for each other. When the calling task is cancelled, a prompt closes and returns ``ConsentAnswer/cancelled``.
public protocol UserConsent: Sendable {
    /// Asks, and returns when the person answered or the context's time limit is reached.
    ///
    /// - Parameter request: The question.
    /// - Returns: The answer.
    func ask(_ request: ConsentRequest) async -> ConsentAnswer

    /// Whether a passkey may be created without a prompt, because the person has just signed in to this account with a password
    /// from this credential manager.
    ///
    /// WebAuthn Level 3, [§5.1.3](https://www.w3.org/TR/webauthn-3/#sctn-createCredential), conditional mediation. It
    /// must not show anything.
    ///
    /// - Parameter request: The question that would be asked.
    /// - Returns: Whether the passkey may be created.
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool

    /// Whether user verification is possible now.
    func verificationCapability() async -> VerificationCapability
}

extension UserConsent {
    /// By default ready.
    public func verificationCapability() async -> VerificationCapability { .ready }
}
