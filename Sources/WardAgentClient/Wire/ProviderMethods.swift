/// Lists the credential managers that are declared on this machine, enabled ones first.
package struct ListProviders: AgentMethod {
    package static let name = "providers.list"
    package init() {}

    /// The managers.
    package struct Result: Codable, Sendable {
        /// The enabled managers in their order, then all others.
        package var providers: [ProviderRecord]
        /// Whether passkeys are off: the person switched them off, or no enabled manager supports them.
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

/// Enables a credential manager.
///
/// It comes last in the order; Ward's own vault is always first.
package struct EnableProvider: AgentMethod {
    package static let name = "providers.enable"
    /// The manager's identifier.
    package var identifier: String
    package init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    package typealias Result = ListProviders.Result
}

/// Disables a credential manager.
package struct DisableProvider: AgentMethod {
    package static let name = "providers.disable"
    /// The manager's identifier.
    package var identifier: String
    package init(identifier: String) { self.identifier = identifier }
    /// The list after the change.
    package typealias Result = ListProviders.Result
}

/// Switches passkeys on or off on this device.
///
/// Passwords and codes are not affected.
package struct SwitchPasskeys: AgentMethod {
    package static let name = "passkeys.switch"
    /// Whether passkeys should be on.
    package var isOn: Bool
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
    /// Whether the manager is enabled.
    package var isEnabled: Bool
    /// The manager's capabilities, with the keys of `ASCredentialProviderExtensionCapabilities`.
    package var capabilities: [String]
    /// Whether the manager itself verifies its person if a site wants user verification; `nil` means no.
    package var verifiesUser: Bool?
    /// The file that declares it; `nil` for Ward's own vault.
    package var declaration: String?
    /// The reason why the manager cannot be used.
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
