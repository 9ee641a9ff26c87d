internal import WardAgentClient
internal import WardClient
internal import WardWebAuthn

/// A provider: Ward's own vault, or another credential manager at the other end of a socket.
///
/// The agent asks the person, and sends the provider only requests that the person agreed to. It checks a provider's answer as
/// far as possible. If a provider fails, it throws `AgentError`, and the other providers are still used.
protocol CredentialProvider: Sendable {
    /// The provider's identifier.
    var identifier: String { get }
    /// The name for display.
    var name: String { get }
    var capabilities: ProviderCapabilities { get }
    /// Whether the provider verifies its person itself, so that the agent does not.
    var verifiesUser: Bool { get }

    /// The provider's entries, without secrets. For a locked provider these are the entries that are known.
    func entries(_ query: ProviderQuery) async throws -> ProviderEntries
    /// Asks a locked provider to unlock itself with a prompt to its person.
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
    /// Whether the account of a released password may get a passkey without a prompt: the provider must still have the
    /// password, and must agree.
    func mayUpgrade(_ password: HandedOutPassword, for app: String) async throws -> Bool
    /// Handles a service's signal about credentials.
    func take(_ signal: SignalFromApp) async throws
}

/// The capabilities of a provider, as in its declaration.
struct ProviderCapabilities: OptionSet, Hashable, Sendable {
    let rawValue: Int
    /// It has passwords.
    static let passwords = Self(rawValue: 1)
    /// The provider stores passkeys and creates new ones.
    static let passkeys = Self(rawValue: 2)
    /// The provider has verification codes.
    static let oneTimeCodes = Self(rawValue: 4)
    /// The provider has other texts for fields.
    static let textToInsert = Self(rawValue: 8)
    /// The provider creates passkeys without a prompt.
    static let conditionalRegistration = Self(rawValue: 16)
    /// The provider saves passwords that were typed into apps, and generated ones.
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

/// A provider's answer to a query.
struct ProviderEntries: Hashable, Sendable {
    /// The entries, in the provider's own order.
    var entries: [ProviderEntry]
    /// Whether the provider is locked.
    ///
    /// The list may then be incomplete, and no entry can be used before the provider is unlocked.
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
    /// The time of the last use, in seconds since 1970.
    var lastUsedAt: Int64?
    /// The credential ID of a passkey.
    var credentialID: CredentialID?
    /// The user handle of a passkey.
    var userHandle: UserHandle?
    /// Whether the passkey can be used only if the service lists its credential ID.
    ///
    /// This is so after the service reported that it does not know the passkey.
    var isHidden = false
    /// Whether the provider is locked and must be unlocked before the entry can be used.
    var isLocked = false
}
