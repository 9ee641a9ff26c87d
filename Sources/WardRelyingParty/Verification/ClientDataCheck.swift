internal import WardDomains
internal import WardText
internal import WardWebAuthn

extension RelyingParty {
    /// Steps 5 to 11 of registration and 8 to 14 of authentication: all checks of the client data.
    ///
    /// First comes the limited verification algorithm (L3 #clientdatajson-verification): if the client data equals the
    /// expected bytes, all steps are done. Otherwise the client data is parsed.
    ///
    /// - Returns: The origin in the client data.
    func checkClientData(
        _ bytes: [UInt8],
        for ceremony: Ceremony,
        templates: [(origin: Origin, template: ClientDataTemplate)],
        type: String,
        steps: ClientDataSteps
    ) throws(VerificationError) -> Origin {
        for (origin, template) in templates where ceremony.boundOrigin == nil || ceremony.boundOrigin == origin {
            if template.matches(bytes.span, challenge: ceremony.challenge.bytes) { return origin }
        }
        // L3: "Let JSONtext be the result of running UTF-8 decode", then "parse".
        let data: CollectedClientData
        do {
            data = try CollectedClientData(parsing: bytes)
        } catch {
            throw VerificationError(.malformedResponse, steps.parse, "\(error)")
        }
        // L3: "Verify that the value of C.type is" the one of this ceremony.
        guard data.type == type else {
            throw VerificationError(.typeMismatch, steps.type, "the type of the client data is not \(type)")
        }
        // L3: "Verify that the value of C.challenge equals the base64url encoding of pkOptions.challenge."
        guard isEqualInConstantTime(Array(data.challenge.utf8), Array(ceremony.challenge.base64URL.utf8)) else {
            throw VerificationError(.challengeMismatch, steps.challenge, "the challenge is not the one that was sent")
        }
        // L3: "Verify that the value of C.origin is an origin expected by the Relying Party", as values, never as text.
        guard let origin = try? Origin(data.origin), origins.contains(origin) else {
            throw VerificationError(
                .originNotAllowed,
                steps.origin,
                "\(printable(data.origin)) is not among \(origins.map(\.description).joined(separator: ", "))"
            )
        }
        if let bound = ceremony.boundOrigin, bound != origin {
            throw VerificationError(
                .originNotAllowed,
                steps.origin,
                "the ceremony began at the origin \(bound), not at \(origin)"
            )
        }
        try checkFraming(data, steps: steps)
        return origin
    }

    private func checkFraming(_ data: CollectedClientData, steps: ClientDataSteps) throws(VerificationError) {
        let isFramed = data.crossOrigin == true
        let allowed: Set<WebOrigin>
        let acceptsMissing: Bool
        switch policy.framing {
        case .refused: (allowed, acceptsMissing) = ([], false)
        case .allowed(let origins): (allowed, acceptsMissing) = (origins, false)
        case .allowedWithoutTopOrigin(let origins): (allowed, acceptsMissing) = (origins, true)
        }
        // L3: "If C.crossOrigin is present and set to true, verify that the Relying Party expects" to be framed.
        if isFramed, policy.framing == .refused {
            throw VerificationError(
                .crossOriginNotAllowed,
                steps.crossOrigin,
                "the page is in a frame of another origin"
            )
        }
        // L3: "If C.topOrigin is present", the relying party expects framing and that very top-level origin.
        if let text = data.topOrigin {
            guard isFramed, let top = try? WebOrigin(text), allowed.contains(top) else {
                throw VerificationError(
                    .topOriginNotAllowed,
                    steps.topOrigin,
                    "\(printable(text)) may not frame this service"
                )
            }
        } else if isFramed, !acceptsMissing {
            throw VerificationError(
                .topOriginNotAllowed,
                steps.topOrigin,
                "the page is in a frame, and the client does not report the top origin"
            )
        }
    }

    /// Input from a client, made printable for one line of a log.
    private func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(80).map { $0.isASCII && $0.value > 0x20 && $0.value < 0x7f ? $0 : "?" }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Steps 14 to 18 of registration and 15 to 19 of authentication that concern the flags in the authenticator data.
    func checkFlags(
        _ data: AuthenticatorData,
        for ceremony: Ceremony,
        acceptsAbsence: Bool,
        steps: FlagSteps
    ) throws(VerificationError) {
        // L3: "Verify that the UP bit of the flags in authData is set" (at registration unless mediation is conditional).
        guard data.flags.contains(.userPresent) || acceptsAbsence else {
            throw VerificationError(.userNotPresent, steps.presence, "user presence is missing")
        }
        // L3: "If the Relying Party requires user verification", "verify that the UV bit" is set.
        guard data.flags.contains(.userVerified) || !ceremony.requiresUserVerification else {
            throw VerificationError(.userNotVerified, steps.verification, "user verification is missing")
        }
        // L3: "If the BE bit of the flags in authData is not set, verify that the BS bit is not set."
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backupState) else {
            throw VerificationError(
                .backupStateInvalid,
                steps.backup,
                "the passkey is backed up, but not eligible for backup"
            )
        }
    }

    /// Whether the policy allows a credential that may, or may not, leave its authenticator.
    func checkIsAllowed(isBackupEligible: Bool, _ step: VerificationStep) throws(VerificationError) {
        switch policy.backupEligibleCredentials {
        case .deviceBoundOnly where isBackupEligible:
            throw VerificationError(.authenticatorNotAllowed, step, "only device-bound credentials are accepted")
        case .backupEligibleOnly where !isBackupEligible:
            throw VerificationError(.authenticatorNotAllowed, step, "only synced credentials are accepted")
        case .any, .deviceBoundOnly, .backupEligibleOnly: break
        }
    }

    func checkIsCurrent(_ ceremony: Ceremony, _ kind: Ceremony.Kind, _ step: VerificationStep) throws(VerificationError)
    {
        guard ceremony.kind == kind, ceremony.rpID == id.description else {
            throw VerificationError(.ceremonyMismatch, step, "the ceremony began for another purpose")
        }
        guard effects.now() < ceremony.expiresAt else {
            throw VerificationError(.challengeExpired, step, "the ceremony has expired")
        }
    }
}

/// The step numbers of the client data checks.
struct ClientDataSteps {
    let parse, type, challenge, origin, crossOrigin, topOrigin: VerificationStep

    static let registration = ClientDataSteps(.registration, [6, 7, 8, 9, 10, 11])
    static let authentication = ClientDataSteps(.authentication, [9, 10, 11, 12, 13, 14])

    private init(_ procedure: VerificationStep.Procedure, _ numbers: [6 of Int]) {
        parse = .init(procedure, numbers[0])
        type = .init(procedure, numbers[1])
        challenge = .init(procedure, numbers[2])
        origin = .init(procedure, numbers[3])
        crossOrigin = .init(procedure, numbers[4])
        topOrigin = .init(procedure, numbers[5])
    }
}

/// The step numbers of the flag checks.
struct FlagSteps {
    let presence, verification, backup: VerificationStep

    static let registration = FlagSteps(
        presence: .registration(15),
        verification: .registration(16),
        backup: .registration(17)
    )
    static let authentication = FlagSteps(
        presence: .authentication(16),
        verification: .authentication(17),
        backup: .authentication(18)
    )
}
