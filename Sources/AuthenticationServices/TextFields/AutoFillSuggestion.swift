internal import WardAgentClient

/// A suggestion for a text field, for display by an adapter.
public struct AutoFillSuggestion: Identifiable, Hashable, Sendable {
    /// The kind of suggestion.
    public enum Kind: Hashable, Sendable {
        /// Signs in with a passkey. It fills no field; it answers the waiting request.
        case passkey
        /// Fills a user name and its password.
        case password
        /// Fills a verification code.
        case oneTimeCode
        /// Fills a newly generated password.
        case newPassword
        /// Unlocks the credential manager, so that it can suggest more.
        case unlock
    }

    /// The agent's ID of the suggestion.
    public let id: String
    /// The kind of suggestion.
    public let kind: Kind
    /// The user name.
    public let user: String
    /// The domain.
    public let domain: String
    /// The credential manager that has the entry.
    public let provider: String

    /// Creates a suggestion from the agent's suggestion.
    ///
    /// It is `nil` if the kind is not for text fields.
    init?(_ suggestion: AppSuggestion) {
        switch suggestion.kind {
        case .passkeyAssertion, .securityKeyAssertion: kind = .passkey
        case .password: kind = .password
        case .oneTimeCode: kind = .oneTimeCode
        case .newPassword: kind = .newPassword
        case .unlock: kind = .unlock
        default: return nil
        }
        id = suggestion.id
        user = suggestion.user
        domain = suggestion.domain
        provider = suggestion.provider
    }

    /// The suggestion to unlock the credential manager, if the agent reports only that the manager is locked.
    static let unlock = Self(id: "unlock", kind: .unlock)

    private init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
        user = ""
        domain = ""
        provider = ""
    }
}

/// The result of a pick.
public enum AutoFillResult: Hashable, Sendable {
    /// Fields were filled.
    case filled
    /// A waiting request was answered, and its delegate is called.
    case completed
    /// The credential manager is now unlocked: request suggestions again.
    case unlocked
}
