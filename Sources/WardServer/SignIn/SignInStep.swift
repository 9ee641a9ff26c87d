/// A step that a sign-in can ask for after the first proof.
///
/// The raw value is the `method` of the API.
package enum SignInStep: String, CaseIterable, Hashable, Sendable {
    /// A passkey of the account.
    ///
    /// It is an ordinary sign-in with a passkey, which needs no earlier step.
    case passkey
    /// The code of an authenticator app.
    case authenticatorApp = "authenticator_app"
    /// A code from a message to the account's e-mail address.
    case mailCode = "mail_code"
    /// A code from a text message to the account's telephone number.
    case textCode = "text_code"
    /// One of the account's recovery codes.
    case recoveryCode = "recovery_code"
    /// The account's password, after a passkey without user verification.
    case password

    /// What a right answer proves; `nil` for a passkey, whose answer says whether the person was verified.
    package var proof: SignInProof? {
        switch self {
        case .authenticatorApp: .authenticatorApp
        case .mailCode: .mailCode
        case .textCode: .textCode
        case .recoveryCode: .recoveryCode
        case .password: .password
        case .passkey: nil
        }
    }

    /// Whether a code leaves the service first.
    package var isSent: Bool { self == .mailCode || self == .textCode }
}

/// What an account can prove, and what a sign-in to it must prove.
///
/// Both are read from the store at each step, so that a step never counts on what has changed meanwhile.
package struct SignInTerms: Hashable, Sendable {
    /// The steps that the account can take.
    package var steps: Set<SignInStep>
    /// The least assurance that opens a session.
    package var assurance: Assurance
    /// Whether only a passkey that counts by the service's rules opens a session; `nil` if there is no such rule.
    package var rule: PasskeyRule?
    /// Whether an account that cannot prove enough may add a passkey while it signs in.
    package var mayEnrol: Bool

    /// A rule that asks for a passkey, and how the account stands to it.
    package struct PasskeyRule: Hashable, Sendable {
        /// Whether the passkey that the flow began with counts.
        package var hasBegunWell: Bool
        /// Whether the account has a passkey that counts.
        package var canBeMet: Bool

        package init(hasBegunWell: Bool, canBeMet: Bool) {
            self.hasBegunWell = hasBegunWell
            self.canBeMet = canBeMet
        }
    }

    package init(
        steps: Set<SignInStep> = [],
        assurance: Assurance = .one,
        rule: PasskeyRule? = nil,
        mayEnrol: Bool = true
    ) {
        self.steps = steps
        self.assurance = assurance
        self.rule = rule
        self.mayEnrol = mayEnrol
    }
}
