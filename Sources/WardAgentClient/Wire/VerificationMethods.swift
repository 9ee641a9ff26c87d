/// Returns the ways in which the agent can verify the person without the passphrase.
///
/// No prompt appears.
package struct VerificationStatus: AgentMethod {
    package static let name = "verification.status"
    package init() {}

    package struct Result: Codable, Sendable {
        /// Whether there is a PIN; `nil` while the vault is locked.
        package var hasPIN: Bool?
        /// Whether a fingerprint verifies the person; `nil` while the vault is locked.
        package var usesFingerprint: Bool?
        /// The reason why fingerprints cannot be read, or `nil` if they can.
        package var fingerprintProblem: String?
        /// The reason why the passphrase is needed: `not_typed`, `too_long_ago` or `too_many_tries`; `nil` if it is not needed.
        package var passphraseNeeded: String?

        package init(
            hasPIN: Bool? = nil,
            usesFingerprint: Bool? = nil,
            fingerprintProblem: String? = nil,
            passphraseNeeded: String? = nil
        ) {
            self.hasPIN = hasPIN
            self.usesFingerprint = usesFingerprint
            self.fingerprintProblem = fingerprintProblem
            self.passphraseNeeded = passphraseNeeded
        }
    }
}

/// Sets or removes the PIN that verifies the person while the vault is open.
///
/// The agent asks for the passphrase first.
package struct SetPIN: AgentMethod {
    package static let name = "verification.setPIN"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The new PIN.
    ///
    /// With `nil` the PIN is removed.
    package var pin: String?

    package init(authorization: Authorization, pin: String?) {
        self.authorization = authorization
        self.pin = pin
    }

    package typealias Result = Done
}

/// Turns verification by fingerprint on or off.
///
/// A fingerprint verifies the person only while the vault is open.
///
/// The agent asks for the passphrase first.
package struct SwitchFingerprint: AgentMethod {
    package static let name = "verification.switchFingerprint"
    /// The authorization of the request.
    package var authorization: Authorization
    /// Whether a fingerprint verifies the person in future.
    package var isOn: Bool

    package init(authorization: Authorization, isOn: Bool) {
        self.authorization = authorization
        self.isOn = isOn
    }

    package typealias Result = Done
}
