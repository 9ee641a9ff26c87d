internal import WardAgentClient

/// Something that could be filled in, as an adapter shows it.
public struct AutoFillSuggestion: Identifiable, Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// Signs in with a passkey: fills nothing, but answers the request that waits.
        case passkey
        /// Fills a user name and its password.
        case password
        /// Fills a code.
        case oneTimeCode
        /// Fills a new password.
        case newPassword
        /// Opens the credential manager, so that there are more.
        case unlock
    }

    /// What the agent calls it.
    public let id: String
    /// What it is.
    public let kind: Kind
    /// Whose it is: the user name.
    public let user: String
    /// The domain it is for.
    public let domain: String
    /// The credential manager that has it.
    public let provider: String

    /// What the agent sent, unless it is of a kind that a field has no use for.
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

    /// To open what is locked, when the agent says no more than that it is.
    static let unlock = Self(id: "unlock", kind: .unlock)

    private init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
        user = ""
        domain = ""
        provider = ""
    }
}

/// What a pick came to.
public enum AutoFillResult: Hashable, Sendable {
    /// Fields were filled.
    case filled
    /// A request that waited was answered: its delegate is told.
    case completed
    /// The credential manager is open now: ask for suggestions again.
    case unlocked
}
