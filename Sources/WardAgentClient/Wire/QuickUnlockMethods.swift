/// Says whether a PIN that the TPM checks opens the vault.
///
/// Nobody is asked.
package struct QuickUnlockStatus: AgentMethod {
    /// `quickUnlock.status`.
    package static let name = "quickUnlock.status"
    package init() {}

    package struct Result: Codable, Sendable {
        /// Whether quick unlock is on for this vault.
        package var isOn: Bool
        /// Whether the PIN opens the vault now; if not, the passphrase is needed once.
        package var isReady: Bool
        /// Why the TPM cannot be used; `nil` if it can.
        package var problem: String?

        package init(isOn: Bool, isReady: Bool, problem: String? = nil) {
            self.isOn = isOn
            self.isReady = isReady
            self.problem = problem
        }
    }
}

/// Turns quick unlock on or off: a PIN that the TPM checks opens the vault.
///
/// Turning it on asks for the passphrase.
package struct SwitchQuickUnlock: AgentMethod {
    /// `quickUnlock.switch`.
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
