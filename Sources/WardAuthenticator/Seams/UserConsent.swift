public import WardCTAP
public import WardWebAuthn

/// What a person is asked.
public struct ConsentRequest: Hashable, Sendable {
    /// An account in the words of a prompt.
    public struct Account: Hashable, Sendable {
        /// The passkey, where there is one already.
        public let credentialID: CredentialID?
        /// The relying party's name for the account.
        public let userHandle: UserHandle
        /// What tells accounts apart; text from outside, to be shown as such.
        public let name: String
        /// What the person calls themselves; text from outside, to be shown as such.
        public let displayName: String
        /// When the passkey was made, in seconds since 1970, where there is one already.
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

    /// What it is about.
    public enum Question: Hashable, Sendable {
        /// Whether a passkey shall be made for `account`.
        ///
        /// `replacing` are passkeys of the same account that it takes the place of. Where `isExcluded`, the relying party wants none
        /// because one it knows is here: after a yes it is told so, and no passkey is made.
        case makePasskey(account: Account, replacing: [Account], isExcluded: Bool)
        /// Which of the passkeys to sign in with, the newest first.
        ///
        /// With none the person is asked all the same, so that a page cannot find out by the time it takes; a prompt says that there
        /// is none, and whatever is answered nothing is signed.
        case usePasskey([Account])
        /// Whether this is the authenticator that is meant.
        case selectAuthenticator
    }

    /// What it is about.
    public let question: Question
    /// Who wants it; absent for a selection.
    public let relyingPartyID: String?
    /// What the relying party calls itself; proves nothing.
    public let relyingPartyName: String?
    /// Whether somebody must be there: a click, a touch.
    public let wantsPresence: Bool
    /// Whether the person must be verified: by the passphrase, a PIN, a finger.
    public let wantsVerification: Bool
    /// The origin and the caller for the words, how long there is, and whether the prompt is a form's autofill.
    public let context: CeremonyContext

    /// Puts a question together.
    package init(
        question: Question,
        relyingPartyID: String?,
        relyingPartyName: String?,
        wantsPresence: Bool,
        wantsVerification: Bool,
        context: CeremonyContext
    ) {
        self.question = question
        self.relyingPartyID = relyingPartyID
        self.relyingPartyName = relyingPartyName
        self.wantsPresence = wantsPresence
        self.wantsVerification = wantsVerification
        self.context = context
    }
}

/// What came of asking.
public enum ConsentAnswer: Hashable, Sendable {
    /// The person said yes, and this is what really happened.
    case agreed(ConsentAgreement)
    /// The person said no.
    case refused
    /// Nobody answered in time.
    case timedOut
    /// Whoever asked no longer wants to know.
    case cancelled
}

/// What really happened when a person said yes: it goes into signed flags.
public struct ConsentAgreement: Hashable, Sendable {
    /// Somebody was there and did something only a person can do.
    public var isPresent: Bool
    /// That somebody was verified just now, for this request.
    public var isVerified: Bool
    /// The passkey the person picked; `nil` where nothing was to be picked, or the prompt cannot show a choice.
    public var chosen: CredentialID?

    /// Says what happened.
    public init(isPresent: Bool, isVerified: Bool, chosen: CredentialID? = nil) {
        self.isPresent = isPresent
        self.isVerified = isVerified
        self.chosen = chosen
    }
}

/// Whether persons can be verified.
public enum VerificationCapability: Hashable, Sendable {
    /// Never.
    case unsupported
    /// Not before somebody sets it up.
    case notConfigured
    /// Yes.
    case ready
}

/// Asks the person whose passkeys they are.
///
/// The authenticator believes every word of an answer. Calls of several requests may overlap; prompts that cannot should wait
/// for each other. When the calling task is cancelled, a prompt goes away and answers ``ConsentAnswer/cancelled``.
public protocol UserConsent: Sendable {
    /// Asks, and answers when the person did or the context's timeout is over.
    ///
    /// - Parameter request: What to ask.
    /// - Returns: What came of it.
    func ask(_ request: ConsentRequest) async -> ConsentAnswer

    /// Whether a passkey may be made with nobody asked, because the person just signed in to this very account with a password that
    /// was filled from here.
    ///
    /// WebAuthn Level 3, [§5.1.3](https://www.w3.org/TR/webauthn-3/#sctn-createCredential), conditional mediation. It must not
    /// show anything.
    ///
    /// - Parameter request: What would be asked.
    /// - Returns: Whether it may be made.
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool

    /// Whether persons can be verified now.
    func verificationCapability() async -> VerificationCapability
}

extension UserConsent {
    /// Yes.
    public func verificationCapability() async -> VerificationCapability { .ready }
}
