/// Lists the credential managers that are declared on this machine, enabled ones first.
package struct ListProviders: AgentMethod {
    /// `providers.list`.
    package static let name = "providers.list"
    /// Creates a request.
    package init() {}

    /// The managers.
    package struct Result: Codable, Sendable {
        /// The enabled managers in their order, then the others.
        package var providers: [ProviderRecord]
        /// Whether passkeys are off: switched off, or not supported by any enabled manager.
        package var passkeysAreOff: Bool
        /// Whether the person switched passkeys off.
        package var arePasskeysSwitchedOff: Bool
        /// The maximum number of enabled managers.
        package var limit: Int

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
package struct EnableProvider: AgentMethod {
    /// `providers.enable`.
    package static let name = "providers.enable"
    /// The manager's identifier.
    package var identifier: String
    /// Creates a request.
    package init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    package typealias Result = ListProviders.Result
}

/// Disables a credential manager.
package struct DisableProvider: AgentMethod {
    /// `providers.disable`.
    package static let name = "providers.disable"
    /// The manager's identifier.
    package var identifier: String
    /// Creates a request.
    package init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    package typealias Result = ListProviders.Result
}

/// Switches passkeys on or off on this device; passwords and codes stay.
package struct SwitchPasskeys: AgentMethod {
    /// `passkeys.switch`.
    package static let name = "passkeys.switch"
    /// Whether passkeys should be on.
    package var isOn: Bool
    /// Creates a request.
    package init(isOn: Bool) { self.isOn = isOn }
    /// The list after the change.
    package typealias Result = ListProviders.Result
}

/// A credential manager as it is declared on this machine.
package struct ProviderRecord: Codable, Hashable, Sendable {
    /// The identifier; `ward` for Ward's own vault.
    package var identifier: String
    /// The name for display.
    package var name: String
    /// Whether it is enabled.
    package var isEnabled: Bool
    /// Its capabilities, with the keys of `ASCredentialProviderExtensionCapabilities`.
    package var capabilities: [String]
    /// Whether the manager itself verifies its person when a site asks who signs in; `nil` means no.
    package var verifiesUser: Bool?
    /// The file that declares it; `nil` for Ward's own vault.
    package var declaration: String?
    /// Why it cannot be used.
    package var problem: String?

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
