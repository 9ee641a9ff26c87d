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
    /// One of the account's recovery codes.
    case recoveryCode = "recovery_code"
    /// The account's password, after a passkey without user verification.
    case password

    /// What a right answer proves; `nil` for a passkey, whose answer says whether the person was verified.
    package var proof: SignInProof? {
        switch self {
        case .authenticatorApp: .authenticatorApp
        case .mailCode: .mailCode
        case .recoveryCode: .recoveryCode
        case .password: .password
        case .passkey: nil
        }
    }

    /// Whether a code leaves the service first.
    package var isSent: Bool { self == .mailCode }
}

/// What an account can prove, and what a sign-in to it must prove.
///
/// Both are read from the store at each step, so that a step never counts on what has changed meanwhile.
package struct SignInTerms: Hashable, Sendable {
    /// The steps that the account can take.
    package var steps: Set<SignInStep>
    /// The least assurance that opens a session.
    package var assurance: Assurance

    package init(steps: Set<SignInStep> = [], assurance: Assurance = .one) {
        self.steps = steps
        self.assurance = assurance
    }
}
