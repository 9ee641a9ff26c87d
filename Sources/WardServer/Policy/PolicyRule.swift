package import WardAccounts
package import WardAttestation
package import WardWebAuthn

/// What some accounts need to sign in, from a day on.
package struct PolicyRule: Hashable, Sendable {
    /// The accounts in one of these groups; all accounts if it is `nil`.
    package var groups: Set<GroupName>?
    /// From when the rule holds, in seconds since 1970; always if it is `nil`.
    package var from: Int64?
    /// How long before ``from`` people are told, in seconds.
    package var warning: Int64 = 30 * 86_400
    /// How long after ``from`` an account that lacks what it needs may still add it, in seconds.
    ///
    /// A rule that always holds has no end of it.
    package var grace: Int64 = 30 * 86_400
    /// Whether each sign-in needs two factors, as with a passkey or a password and a code.
    package var needsTwoFactors = false
    /// The passkeys that count, if each sign-in needs one.
    package var passkeys: PasskeyEvidence?
    /// How long a session lasts at most, in seconds.
    package var sessionAge: Int64?

    package init() {}

    /// Whether the rule is about an account in these groups.
    package func matches(_ groups: [GroupName]) -> Bool {
        self.groups.map { names in groups.contains(where: names.contains) } ?? true
    }
}

/// What must be known of a passkey so that it counts.
package struct PasskeyEvidence: Hashable, Sendable {
    /// Whether it must stay on one device: its backup eligibility is off.
    ///
    /// WebAuthn Level 3, [section 6.1.3](https://www.w3.org/TR/webauthn-3/#sctn-credential-backup).
    package var isDeviceBound = false
    /// The models of authenticators that may have it; all if it is `nil`.
    ///
    /// Without attestation, an authenticator only claims its model.
    package var authenticators: Set<AAGUID>?
    /// Whether an attestation statement must have proven the model.
    package var needsVerifiedModel = false
    /// The least certification of the model; only a proven model has one.
    package var certification: CertificationLevel?

    package init() {}

    /// Whether only a passkey counts whose model an attestation statement proved.
    package var asksForAttestation: Bool { needsVerifiedModel || certification != nil }

    /// The problems of a model with which its passkeys do not count, if the model must be proven.
    ///
    /// FIDO Metadata Service 3, section 3.1.4.
    private static let refusedConcerns: Set<AuthenticatorConcern> = [
        .revoked, .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise,
        .userKeyPhysicalCompromise,
    ]

    /// Whether a passkey counts now.
    ///
    /// One that can never verify its owner does not.
    ///
    /// - Parameters:
    ///   - record: The passkey's record.
    ///   - model: The model that was proven when the passkey was created, if one was.
    ///   - known: What is known of models now. A model that is not listed any more counts as not proven.
    /// - Returns: Whether the passkey is what a rule with this evidence asks for.
    package func accepts(_ record: CredentialRecord, of model: VerifiedModel?, _ known: KnownModels) -> Bool {
        guard record.backupEligible || record.uvInitialized, !isDeviceBound || !record.backupEligible else {
            return false
        }
        guard asksForAttestation else { return authenticators.map { $0.contains(record.aaguid) } ?? true }
        guard let model, let status = known.status(of: model.aaguid),
            status.concerns.isDisjoint(with: Self.refusedConcerns),
            status.certification >= (certification ?? .notCertified)
        else { return false }
        return authenticators.map { $0.contains(model.aaguid) } ?? true
    }

    /// Whether a stored passkey counts now.
    package func accepts(_ passkey: Passkey, _ known: KnownModels) -> Bool {
        accepts(passkey.record, of: passkey.verifiedModel, known)
    }

    /// Evidence that is enough for both.
    package func and(_ other: Self) -> Self {
        var both = self
        both.isDeviceBound = isDeviceBound || other.isDeviceBound
        if let others = other.authenticators { both.authenticators = authenticators?.intersection(others) ?? others }
        both.needsVerifiedModel = needsVerifiedModel || other.needsVerifiedModel
        if let level = other.certification { both.certification = max(certification ?? level, level) }
        return both
    }
}
