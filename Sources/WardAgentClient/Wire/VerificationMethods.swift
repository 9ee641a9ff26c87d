/// Says how the agent can verify the person, apart from the passphrase.
///
/// Nobody is asked.
package struct VerificationStatus: AgentMethod {
    /// `verification.status`.
    package static let name = "verification.status"
    package init() {}

    package struct Result: Codable, Sendable {
        /// Whether there is a PIN; `nil` while the vault is locked.
        package var hasPIN: Bool?
        /// Whether a fingerprint verifies the person; `nil` while the vault is locked.
        package var usesFingerprint: Bool?
        /// Why no finger can be read; `nil` if one can.
        package var fingerprintProblem: String?
        /// Why the passphrase is needed: `not_typed`, `too_long_ago` or `too_many_tries`; `nil` if it is not.
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
/// The agent asks for the passphrase.
package struct SetPIN: AgentMethod {
    /// `verification.setPIN`.
    package static let name = "verification.setPIN"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The new PIN; `nil` removes the PIN.
    package var pin: String?

    package init(authorization: Authorization, pin: String?) {
        self.authorization = authorization
        self.pin = pin
    }

    package typealias Result = Done
}

/// Turns verification by fingerprint on or off; it counts while the vault is open.
///
/// The agent asks for the passphrase.
package struct SwitchFingerprint: AgentMethod {
    /// `verification.switchFingerprint`.
    package static let name = "verification.switchFingerprint"
    /// The authorization of the request.
    package var authorization: Authorization
    /// Whether a fingerprint verifies the person from now on.
    package var isOn: Bool

    package init(authorization: Authorization, isOn: Bool) {
        self.authorization = authorization
        self.isOn = isOn
    }

    package typealias Result = Done
}
