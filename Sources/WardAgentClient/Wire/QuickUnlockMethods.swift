/// Returns whether a PIN opens the vault.
///
/// The TPM checks this PIN.
///
/// No prompt appears.
package struct QuickUnlockStatus: AgentMethod {
    package static let name = "quickUnlock.status"
    package init() {}

    package struct Result: Codable, Sendable {
        /// Whether quick unlock is on for this vault.
        package var isOn: Bool
        /// Whether the PIN opens the vault now; if not, the passphrase is needed once.
        package var isReady: Bool
        /// The reason why the TPM cannot be used, or `nil` if it can be used.
        package var problem: String?

        package init(isOn: Bool, isReady: Bool, problem: String? = nil) {
            self.isOn = isOn
            self.isReady = isReady
            self.problem = problem
        }
    }
}

/// Turns quick unlock on or off.
///
/// With quick unlock, a PIN opens the vault, and the TPM checks the PIN.
///
/// Turning it on asks for the passphrase.
package struct SwitchQuickUnlock: AgentMethod {
    package static let name = "quickUnlock.switch"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The PIN; `nil` turns quick unlock off.
    package var pin: String?

    package init(authorization: Authorization, pin: String?) {
        self.authorization = authorization
        self.pin = pin
    }

    package typealias Result = Done
}
