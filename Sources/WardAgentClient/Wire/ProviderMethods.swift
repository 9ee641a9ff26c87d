/// Lists the credential managers that are declared on this machine, enabled ones first.
public struct ListProviders: AgentMethod {
    /// `providers.list`.
    public static let name = "providers.list"
    /// Creates a request.
    public init() {}

    /// The managers.
    public struct Result: Codable, Sendable {
        /// The enabled managers in their order, then the others.
        public var providers: [ProviderRecord]
        /// Whether passkeys are off: switched off, or not supported by any enabled manager.
        public var passkeysAreOff: Bool
        /// Whether the person switched passkeys off.
        public var arePasskeysSwitchedOff: Bool
        /// The maximum number of enabled managers.
        public var limit: Int

        package init(
            providers: [ProviderRecord],
            passkeysAreOff: Bool,
            arePasskeysSwitchedOff: Bool,
            limit: Int
        ) {
            self.providers = providers
            self.passkeysAreOff = passkeysAreOff
            self.arePasskeysSwitchedOff = arePasskeysSwitchedOff
            self.limit = limit
        }
    }
}

/// Enables a credential manager, after those that are already enabled; Ward's own comes first.
public struct EnableProvider: AgentMethod {
    /// `providers.enable`.
    public static let name = "providers.enable"
    /// The manager's identifier.
    public var identifier: String
    /// Creates a request.
    public init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    public typealias Result = ListProviders.Result
}

/// Disables a credential manager.
public struct DisableProvider: AgentMethod {
    /// `providers.disable`.
    public static let name = "providers.disable"
    /// The manager's identifier.
    public var identifier: String
    /// Creates a request.
    public init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    public typealias Result = ListProviders.Result
}

/// Switches passkeys on or off on this device; passwords and codes stay.
public struct SwitchPasskeys: AgentMethod {
    /// `passkeys.switch`.
    public static let name = "passkeys.switch"
    /// Whether passkeys should be on.
    public var isOn: Bool
    /// Creates a request.
    public init(isOn: Bool) { self.isOn = isOn }
    /// The list after the change.
    public typealias Result = ListProviders.Result
}

/// A credential manager as it is declared on this machine.
public struct ProviderRecord: Codable, Hashable, Sendable {
    /// The identifier; `ward` for Ward's own vault.
    public var identifier: String
    /// The name for display.
    public var name: String
    /// Whether it is enabled.
    public var isEnabled: Bool
    /// Its capabilities, with the keys of `ASCredentialProviderExtensionCapabilities`.
    public var capabilities: [String]
    /// Whether the manager itself verifies its person when a site asks who signs in; `nil` means no.
    public var verifiesUser: Bool?
    /// The file that declares it; `nil` for Ward's own vault.
    public var declaration: String?
    /// Why it cannot be used.
    public var problem: String?

    package init(
        identifier: String,
        name: String,
        isEnabled: Bool,
        capabilities: [String],
        verifiesUser: Bool? = nil,
        declaration: String? = nil,
        problem: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.isEnabled = isEnabled
        self.capabilities = capabilities
        self.verifiesUser = verifiesUser
        self.declaration = declaration
        self.problem = problem
    }
}
