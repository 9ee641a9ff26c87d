internal import WardAgentClient
internal import WardClient
internal import WardWebAuthn

/// A provider: Ward's own vault, or another credential manager at the other end of a socket.
///
/// The agent asks the person and tells the provider only what they agreed to. It checks a provider's answer as far as
/// possible before it passes it on. A provider that fails throws `AgentError`, and the others are still used.
protocol CredentialProvider: Sendable {
    /// The provider's identifier.
    var identifier: String { get }
    /// The name for display.
    var name: String { get }
    /// Its capabilities.
    var capabilities: ProviderCapabilities { get }
    /// Whether it verifies its person itself, so that the agent does not.
    var verifiesUser: Bool { get }

    /// Its entries, without secrets; of a locked provider what is known of them.
    func entries(_ query: ProviderQuery) async throws -> ProviderEntries
    /// Asks a locked provider to ask its person and open.
    func unlock(for app: String) async throws
    /// A password with its user name, after the person agreed.
    func password(_ entry: ProviderEntry, for app: String) async throws -> (user: String, password: String)
    /// The current verification code, after the person agreed.
    func code(_ entry: ProviderEntry, for app: String) async throws -> String
    /// Signs with a passkey; `consent` asks the person.
    func usePasskey(
        _ entry: ProviderEntry,
        _ options: PublicKeyCredentialRequestOptions,
        _ caller: Caller,
        _ consent: PromptingConsent
    ) async throws -> AuthenticationResponse
    /// Creates a passkey; `consent` asks the person, unless `isConditional`.
    func makePasskey(
        _ options: PublicKeyCredentialCreationOptions,
        _ caller: Caller,
        isConditional: Bool,
        _ consent: PromptingConsent
    ) async throws -> RegistrationResponse
    /// Whether the account of a released password may get a passkey without a prompt: the provider still has the
    /// password, and finds nothing against it.
    func mayUpgrade(_ password: HandedOutPassword, for app: String) async throws -> Bool
    /// Handles a service's signal about credentials.
    func take(_ signal: SignalFromApp) async throws
}

/// The capabilities of a provider, as in its declaration.
struct ProviderCapabilities: OptionSet, Hashable, Sendable {
    let rawValue: Int
    /// It has passwords.
    static let passwords = Self(rawValue: 1)
    /// It stores passkeys and creates new ones.
    static let passkeys = Self(rawValue: 2)
    /// It has verification codes.
    static let oneTimeCodes = Self(rawValue: 4)
    /// It has other text for fields.
    static let textToInsert = Self(rawValue: 8)
    /// It creates passkeys without a prompt.
    static let conditionalRegistration = Self(rawValue: 16)
    /// It keeps passwords that were typed into apps, and new ones.
    static let savesPasswords = Self(rawValue: 32)

    /// The keys of `ASCredentialProviderExtensionCapabilities`.
    static let names: [(name: String, capability: Self)] = [
        ("ProvidesPasswords", .passwords), ("ProvidesPasskeys", .passkeys), ("ProvidesOneTimeCodes", .oneTimeCodes),
        ("ProvidesTextToInsert", .textToInsert), ("SupportsConditionalPasskeyRegistration", .conditionalRegistration),
        ("SupportsSavePasswordCredentials", .savesPasswords),
    ]

    /// The keys of the present capabilities.
    var names: [String] { Self.names.filter { contains($0.capability) }.map(\.name) }
}

/// A query for a provider's entries.
struct ProviderQuery: Hashable, Sendable {
    /// The only domains.
    var domains: [String]
    /// The kinds of entries.
    var kinds: Set<ProviderEntry.Kind>
}

/// What a provider has for a query.
struct ProviderEntries: Hashable, Sendable {
    /// The entries, in the provider's own order.
    var entries: [ProviderEntry]
    /// Whether the provider is locked: the list may be incomplete, and nothing in it can be used yet.
    var isLocked = false
}

/// An entry of a provider, without its secret.
struct ProviderEntry: Hashable, Sendable {
    /// The kind of an entry.
    enum Kind: String, CaseIterable, Sendable {
        case passkey, password, oneTimeCode

        /// The capability that a provider needs for this kind.
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
    /// The provider's own reference to the entry.
    var reference: String
    /// What it is.
    var kind: Kind
    /// The domain: one of the requested ones.
    var domain: String
    /// The user name; text from outside.
    var user: String
    /// When it was last used, in seconds since 1970.
    var lastUsedAt: Int64?
    /// The credential ID of a passkey.
    var credentialID: CredentialID?
    /// The user handle of a passkey.
    var userHandle: UserHandle?
    /// Whether it answers only if its credential ID is listed, because the service signalled that it no longer knows
    /// it.
    var isHidden = false
    /// Whether its provider is locked, and has to be opened before the entry can be used.
    var isLocked = false
}
