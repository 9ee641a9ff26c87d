internal import WardAgentClient
internal import WardClient
internal import WardWebAuthn

/// A credential manager as the agent sees it: Ward's own vault, or a program at the other end of a socket.
///
/// The agent asks the person; a manager is only told what they agreed to. What a manager answers is checked as far as it can
/// be before anything is handed on. A manager that fails throws `AgentError`, and the others go on.
protocol CredentialProvider: Sendable {
    /// What it is known by.
    var identifier: String { get }
    /// What people see.
    var name: String { get }
    /// What it can do.
    var capabilities: ProviderCapabilities { get }

    /// What it has, without secrets.
    func entries(_ query: ProviderQuery) async throws -> [ProviderEntry]
    /// A password and the name that goes with it, after the person agreed.
    func password(_ entry: ProviderEntry, for app: String) async throws -> (user: String, password: String)
    /// A code that is good now, after the person agreed.
    func code(_ entry: ProviderEntry, for app: String) async throws -> String
    /// Signs with a passkey; the person is asked through `consent`.
    func usePasskey(
        _ entry: ProviderEntry,
        _ options: PublicKeyCredentialRequestOptions,
        _ caller: Caller,
        _ consent: PromptingConsent
    ) async throws -> AuthenticationResponse
    /// Makes a passkey; the person is asked through `consent`, or nobody where `isConditional`.
    func makePasskey(
        _ options: PublicKeyCredentialCreationOptions,
        _ caller: Caller,
        isConditional: Bool,
        _ consent: PromptingConsent
    ) async throws -> RegistrationResponse
    /// Whether what it handed out is still there, and still for that domain and account.
    func stillHas(_ password: HandedOutPassword) async -> Bool
    /// Takes what a service says of credentials.
    func take(_ signal: SignalFromApp) async throws
}

/// What a manager can do, in the words of its declaration.
struct ProviderCapabilities: OptionSet, Hashable, Sendable {
    let rawValue: Int
    /// It has passwords.
    static let passwords = Self(rawValue: 1)
    /// It has passkeys, and makes new ones.
    static let passkeys = Self(rawValue: 2)
    /// It has codes that change.
    static let oneTimeCodes = Self(rawValue: 4)
    /// It has other text for fields; nothing asks for it yet.
    static let textToInsert = Self(rawValue: 8)
    /// It makes passkeys without a question.
    static let conditionalRegistration = Self(rawValue: 16)

    /// The keys of `ASCredentialProviderExtensionCapabilities`.
    static let names: [(name: String, capability: Self)] = [
        ("ProvidesPasswords", .passwords), ("ProvidesPasskeys", .passkeys), ("ProvidesOneTimeCodes", .oneTimeCodes),
        ("ProvidesTextToInsert", .textToInsert), ("SupportsConditionalPasskeyRegistration", .conditionalRegistration),
    ]

    /// The keys of those that are there.
    var names: [String] { Self.names.filter { contains($0.capability) }.map(\.name) }
}

/// What the agent wants to know of a manager.
struct ProviderQuery: Hashable, Sendable {
    /// For these domains and no others.
    var domains: [String]
    /// Of these kinds.
    var kinds: Set<ProviderEntry.Kind>
}

/// Something that a manager has, without its secret.
struct ProviderEntry: Hashable, Sendable {
    /// What it is.
    enum Kind: String, CaseIterable, Sendable {
        case passkey, password, oneTimeCode

        /// What a manager must be able to do to have it.
        var capability: ProviderCapabilities {
            switch self {
            case .passkey: .passkeys
            case .password: .passwords
            case .oneTimeCode: .oneTimeCodes
            }
        }
    }

    /// The manager.
    var provider: String
    /// The manager's own name for it.
    var reference: String
    /// What it is.
    var kind: Kind
    /// The domain it is for: one of those that were asked about.
    var domain: String
    /// Whose it is; text from outside.
    var user: String
    /// When it was last used, in seconds since 1970.
    var lastUsedAt: Int64?
    /// For passkeys, the credential's name.
    var credentialID: CredentialID?
    /// For passkeys, the account.
    var userHandle: UserHandle?
    /// Whether it answers only when it is named: the service said that it no longer knows it.
    var isHidden = false
}
