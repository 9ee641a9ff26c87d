/// Whether a PIN that the TPM checks opens the vault; asks nobody anything.
package struct QuickUnlockStatus: AgentMethod {
    /// `quickUnlock.status`.
    package static let name = "quickUnlock.status"
    /// Asks.
    package init() {}

    /// How things stand.
    package struct Result: Codable, Sendable {
        /// Whether it is switched on for this vault.
        package var isOn: Bool
        /// Whether the PIN opens the vault now; without, the passphrase is needed once more.
        package var isReady: Bool
        /// Why the TPM cannot be used; absent where it can.
        package var problem: String?

        package init(isOn: Bool, isReady: Bool, problem: String? = nil) {
            self.isOn = isOn
            self.isReady = isReady
            self.problem = problem
        }
    }
}

/// Lets a PIN open the vault, with the TPM, or no longer.
///
/// Switching it on asks for the passphrase.
package struct SwitchQuickUnlock: AgentMethod {
    /// `quickUnlock.switch`.
    package static let name = "quickUnlock.switch"
    /// How it is allowed.
    package var authorization: Authorization
    /// The PIN; `nil` switches it off.
    package var pin: String?
    /// Asks.
    package init(authorization: Authorization, pin: String?) {
        self.authorization = authorization
        self.pin = pin
    }
    /// Done.
    package typealias Result = Done
}
