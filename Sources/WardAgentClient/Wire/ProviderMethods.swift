/// Lists the credential managers that are declared on this machine, those in use first.
public struct ListProviders: AgentMethod {
    /// `providers.list`.
    public static let name = "providers.list"
    /// Asks.
    public init() {}

    /// The managers.
    public struct Result: Codable, Sendable {
        /// The managers, in the order in which they are asked, then those that are not in use.
        public var providers: [ProviderRecord]
        /// Whether passkeys are off: switched off, or no manager in use has any.
        public var passkeysAreOff: Bool
        /// Whether the person switched passkeys off.
        public var arePasskeysSwitchedOff: Bool
        /// How many may be in use.
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

/// Puts a credential manager to use, after those that are in use already; Ward's own goes first.
public struct EnableProvider: AgentMethod {
    /// `providers.enable`.
    public static let name = "providers.enable"
    /// The manager's identifier.
    public var identifier: String
    /// Asks.
    public init(identifier: String) { self.identifier = identifier }
    /// How things stand afterwards.
    public typealias Result = ListProviders.Result
}

/// Takes a credential manager out of use.
public struct DisableProvider: AgentMethod {
    /// `providers.disable`.
    public static let name = "providers.disable"
    /// The manager's identifier.
    public var identifier: String
    /// Asks.
    public init(identifier: String) { self.identifier = identifier }
    /// How things stand afterwards.
    public typealias Result = ListProviders.Result
}

/// Switches passkeys on or off on this device; passwords and codes stay.
public struct SwitchPasskeys: AgentMethod {
    /// `passkeys.switch`.
    public static let name = "passkeys.switch"
    /// Whether passkeys are to be on.
    public var isOn: Bool
    /// Asks.
    public init(isOn: Bool) { self.isOn = isOn }
    /// How things stand afterwards.
    public typealias Result = ListProviders.Result
}

/// A credential manager as it is declared on this machine.
public struct ProviderRecord: Codable, Hashable, Sendable {
    /// What it is known by; `ward` for Ward's own vault.
    public var identifier: String
    /// What people see.
    public var name: String
    /// Whether it is asked.
    public var isEnabled: Bool
    /// Which of the capabilities it has, by the keys of `ASCredentialProviderExtensionCapabilities`.
    public var capabilities: [String]
    /// The file that declares it; absent for Ward's own vault.
    public var declaration: String?
    /// Why it cannot be used.
    public var problem: String?

    package init(
        identifier: String,
        name: String,
        isEnabled: Bool,
        capabilities: [String],
        declaration: String? = nil,
        problem: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.isEnabled = isEnabled
        self.capabilities = capabilities
        self.declaration = declaration
        self.problem = problem
    }
}
