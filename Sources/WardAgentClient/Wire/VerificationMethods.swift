/// How a person can show who they are, beside the passphrase; asks nobody anything.
package struct VerificationStatus: AgentMethod {
    /// `verification.status`.
    package static let name = "verification.status"
    /// Asks.
    package init() {}

    /// How things stand.
    package struct Result: Codable, Sendable {
        /// Whether there is a PIN; absent while the vault is locked.
        package var hasPIN: Bool?
        /// Whether a fingerprint counts; absent while the vault is locked.
        package var usesFingerprint: Bool?
        /// Why no finger can be read; absent where one can.
        package var fingerprintProblem: String?
        /// Why only the passphrase will do: `not_typed`, `too_long_ago` or `too_many_tries`; absent where something else does.
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

/// Sets the PIN by which a person shows who they are while the vault is open, or removes it.
///
/// Asks for the passphrase.
package struct SetPIN: AgentMethod {
    /// `verification.setPIN`.
    package static let name = "verification.setPIN"
    /// How it is allowed.
    package var authorization: Authorization
    /// The new PIN; `nil` removes the one there is.
    package var pin: String?
    /// Asks.
    package init(authorization: Authorization, pin: String?) {
        self.authorization = authorization
        self.pin = pin
    }
    /// Done.
    package typealias Result = Done
}

/// Lets a fingerprint show who a person is while the vault is open, or no longer.
///
/// Asks for the passphrase.
package struct SwitchFingerprint: AgentMethod {
    /// `verification.switchFingerprint`.
    package static let name = "verification.switchFingerprint"
    /// How it is allowed.
    package var authorization: Authorization
    /// Whether it counts from now on.
    package var isOn: Bool
    /// Asks.
    package init(authorization: Authorization, isOn: Bool) {
        self.authorization = authorization
        self.isOn = isOn
    }
    /// Done.
    package typealias Result = Done
}
