internal import WardCBOR
internal import WardCOSE
internal import WardCTAP
public import WardWebAuthn

extension WebAuthnClient {
    /// Creates a credential: `navigator.credentials.create({publicKey})`.
    ///
    /// The steps are those of WebAuthn Level 3, [§5.1.3](https://www.w3.org/TR/webauthn-3/#sctn-createCredential), in
    /// their order. Two things are done elsewhere: the program that creates the ``Caller`` checks the permissions policy and
    /// says whether the person just acted, and `UserHandle` checks its own length.
    ///
    /// - Parameters:
    ///   - options: The relying party's request.
    ///   - caller: The caller, from the platform's own knowledge.
    ///   - mediation: `conditional` creates a passkey without a prompt, or none.
    /// - Returns: The response for the page.
    /// - Throws: ``ClientError`` with the exception for the page.
    public func create(
        _ options: PublicKeyCredentialCreationOptions,
        from caller: Caller,
        mediation: CredentialMediationRequirement = .optional
    ) async throws(ClientError) -> RegistrationResponse {
        let isConditional = try isConditional(mediation)
        // Step 2: from a frame of another origin.
        if !caller.isSameOriginWithAncestors {
            guard !isConditional else { throw .notAllowed(.notOffered) }
            guard caller.hasTransientActivation else { throw .notAllowed(.notOffered) }
            // "SHOULD make this fact clear to the user": the context carries both origins to the prompt.
        }
        // Step 4.
        let limit = CeremonyTimeout.clamped(options.timeout)
        // Step 5: UserHandle has 1 to 64 bytes. Steps 6 and 7: Caller has an origin with a domain.
        // Step 8.
        let rpID = try await rules.resolve(options.rp.id, for: caller)
        // Steps 9 and 10.
        let parameters = try parameters(options.pubKeyCredParams)
        // Steps 11 and 12.
        let extensions = try RegistrationExtensions(options.extensions)
        // Steps 13 to 15.
        let clientData = clientData("webauthn.create", options.challenge, caller)
        // Step 16.
        if Task.isCancelled { throw .aborted }
        // Step 19.
        if isConditional {
            guard let mayUpgrade = configuration.mayUpgrade, await mayUpgrade(caller, rpID, options.user) else {
                throw .notAllowed(.notOffered)
            }
        }
        let registration = Registration(
            options: options,
            rpID: rpID,
            parameters: parameters,
            extensions: extensions,
            clientData: clientData,
            context: context(caller, isConditional: isConditional, limit)
        )
        // Steps 20 to 23: hints affect only the choice of the authenticator below, because there is no interface to
        // choose one.
        return try await configuration.timeout.run(within: limit) {
            await result { () async throws(ClientError) in try await self.perform(registration) }
        }
    }

    /// Credential Management Level 1, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
    func isConditional(_ mediation: CredentialMediationRequirement) throws(ClientError) -> Bool {
        switch mediation {
        case .optional, .required: return false
        case .conditional: return true
        // A credential is never used without the person, so `get` finds no credential without a prompt. Scripts then get null.
        case .silent: throw .notAllowed(.notOffered)
        default: throw ClientError(.type, "mediation must be silent, optional, conditional or required")
        }
    }

    // Step 10: an empty list means ES256 and RS256.
    private func parameters(
        _ requested: [PublicKeyCredentialParameters]
    ) throws(ClientError) -> [PublicKeyCredentialParameters] {
        guard !requested.isEmpty else { return [.init(.es256), .init(.rs256)] }
        let known = requested.filter { $0.type == "public-key" }
        guard !known.isEmpty else {
            throw ClientError(.notSupported, "pubKeyCredParams has no known type: use public-key")
        }
        return known
    }

    // // MARK: Step 22, for the only authenticator

    private struct Registration: Sendable {
        let options: PublicKeyCredentialCreationOptions
        let rpID: String
        let parameters: [PublicKeyCredentialParameters]
        let extensions: RegistrationExtensions
        let clientData: [UInt8]
        let context: CeremonyContext
    }

    private func perform(_ registration: Registration) async throws(ClientError) -> RegistrationResponse {
        let options = registration.options
        var context = registration.context
        let info = try await info()
        let attachment: AuthenticatorAttachment = info.options[.platformDevice] == true ? .platform : .crossPlatform
        // "authenticatorAttachment is present and its value is not equal to": skip this authenticator. There is no
        // other one, so the request ends as if the person had not answered.
        if let wanted = wantedAttachment(options), wanted != attachment {
            _ = await isAcknowledged(in: context)
            throw .notAllowed(.notOffered)
        }
        let selection = options.authenticatorSelection
        let canKeep = info.options[.residentKey] == true
        let canVerify = info.options[.userVerification] == true
        let requireResidentKey = residentKey(selection?.residentKey, canKeep)
        let verification = selection?.userVerification ?? .preferred
        context.isVerificationOptional = verification != .required && !registration.extensions.needsUserVerification
        // "required … and user verification cannot be collected during the ceremony, throw a ConstraintError".
        if context.isConditional, verification == .required {
            throw ClientError(.constraint, "a conditional request cannot verify the user: use preferred")
        }
        // The two cases of ConstraintError in §5.1.3.1. The page learns of them only after the person agreed.
        let unmet = registration.extensions.unmet(by: info)
        if let reason = constraint(selection, verification, canKeep, canVerify) ?? unmet {
            guard await isAcknowledged(in: context) else { throw .notAllowed(.notOffered) }
            throw ClientError(.constraint, "\(reason), which this device does not support")
        }
        // §5.1.3.1's NotSupportedError: "the authenticator did not support any of the signature algorithms".
        let algorithms = Set(info.algorithms.map(\.alg))
        guard algorithms.isEmpty || registration.parameters.contains(where: { algorithms.contains($0.alg) }) else {
            throw noAlgorithm
        }
        let isVerificationWanted =
            [.required, .preferred].contains(verification) || registration.extensions.needsUserVerification
        let wantsVerification = !context.isConditional && canVerify && isVerificationWanted
        // A page gets only the function for verified users, so there are no results without user verification.
        let salts = wantsVerification ? registration.extensions.saltsToSeal(for: info) : nil
        let sealed = await sealed(salts, info, context)
        let excluded = await fitted(known(options.excludeCredentials, info), registration.rpID, info, context)
        let request = MakeCredentialRequest(
            clientDataHash: hash(registration.clientData),
            relyingParty: CTAPRelyingPartyEntity(id: registration.rpID, name: options.rp.name),
            user: CTAPUserEntity(
                id: options.user.id,
                name: options.user.name,
                displayName: options.user.displayName
            ),
            pubKeyCredParams: registration.parameters,
            excludeList: excluded,
            extensions: registration.extensions.inputs(for: info, sealed?.input),
            options: CTAPRequestOptions(
                residentKey: requireResidentKey ? true : nil,
                userVerification: wantsVerification ? true : nil
            ),
            enterpriseAttestation: enterpriseAttestation(options, registration.rpID, info),
            attestationFormatsPreference: attestationFormats(options)
        )
        let response: MakeCredentialResponse
        do {
            response = try await authenticator.makeCredential(request, in: context)
        } catch {
            throw self.error(error, isConditional: context.isConditional)
        }
        let data = try checked(response, registration, mustVerify: verification == .required)
        return RegistrationResponse(
            id: data.id,
            clientDataJSON: registration.clientData,
            attestationObject: conveyed(response, data.data, options.attestation),
            transports: transports(info),
            authenticatorAttachment: attachment,
            clientExtensionResults: registration.extensions.outputs(
                of: response,
                data.data,
                requireResidentKey: requireResidentKey,
                info,
                sealed?.secret
            )
        )
    }

    private var noAlgorithm: ClientError {
        ClientError(.notSupported, "pubKeyCredParams has no algorithm that this device supports: add -7 (ES256)")
    }

    /// The requested attachment, if the value is known.
    ///
    /// L3 #enum-hints: if hints and attachment contradict each other, "the hints take precedence". Hints alone do not
    /// exclude an authenticator.
    private func wantedAttachment(_ options: PublicKeyCredentialCreationOptions) -> AuthenticatorAttachment? {
        guard let wanted = options.authenticatorSelection?.authenticatorAttachment,
            [.platform, .crossPlatform].contains(wanted)
        else { return nil }
        let hints: [PublicKeyCredentialHint] = [.securityKey, .hybrid, .clientDevice]
        return options.hints.first { hints.contains($0) } == .clientDevice ? .platform : wanted
    }

    /// Whether to request a discoverable credential: if it is required, or if it is preferred and the authenticator can store it.
    ///
    /// The standard calls this the effective resident key requirement.
    /// The reader of the options has already included Level 1's `requireResidentKey`.
    private func residentKey(_ requirement: ResidentKeyRequirement?, _ canKeep: Bool) -> Bool {
        switch requirement {
        case .required?: true
        case .preferred?: canKeep
        default: false
        }
    }

    private func constraint(
        _ selection: AuthenticatorSelectionCriteria?,
        _ verification: UserVerificationRequirement,
        _ canKeep: Bool,
        _ canVerify: Bool
    ) -> String? {
        if selection?.residentKey == .required, !canKeep { return "a discoverable credential is required" }
        if verification == .required, !canVerify { return "user verification is required" }
        return nil
    }

    /// Whether to request enterprise attestation: "TRUE if the user agent wishes to support enterprise attestation for"
    /// this RP ID, which means that the administrator lists it.
    private func enterpriseAttestation(
        _ options: PublicKeyCredentialCreationOptions,
        _ rpID: String,
        _ info: AuthenticatorInfo
    ) -> Int? {
        guard options.attestation == .enterprise, configuration.enterpriseRPIDs.contains(rpID),
            info.options[.enterpriseAttestation] == true
        else { return nil }
        // CTAP 2.3, section 6.1: 2 is platform-managed enterprise attestation.
        return 2
    }

    /// The requested attestation formats; unknown preferences count as `none`.
    private func attestationFormats(_ options: PublicKeyCredentialCreationOptions) -> [String] {
        switch options.attestation {
        case .direct, .indirect, .enterprise: options.attestationFormats
        default: ["none"]
        }
    }

    /// The error for a status of the authenticator: step 22.
    private func error(_ status: CTAPStatus, isConditional: Bool) -> ClientError {
        switch status {
        // Only an authenticator that asked the person returns this status. In a conditional request the person was not asked.
        case .credentialExcluded where !isConditional:
            ClientError(.invalidState, "this account already has a passkey on this device")
        case .unsupportedAlgorithm: noAlgorithm
        default: refusal(status)
        }
    }

    /// Checks the authenticator's answer: a credential for this RP ID, of a requested type, with the required
    /// properties.
    private func checked(
        _ response: MakeCredentialResponse,
        _ registration: Registration,
        mustVerify: Bool
    ) throws(ClientError) -> (data: AuthenticatorData, id: CredentialID) {
        guard let data = try? AuthenticatorData(response.authenticatorData),
            data.rpIDHash == hash(Array(registration.rpID.utf8)), let credential = data.attestedCredential,
            let id = CredentialID(credential.credentialID),
            registration.parameters.contains(where: { $0.alg == credential.publicKey.algorithm }),
            registration.context.isConditional || data.flags.contains(.userPresent),
            !mustVerify || data.flags.contains(.userVerified)
        else {
            throw ClientError(
                .unknown,
                "the authenticator's credential does not match the request",
                .authenticator
            )
        }
        return (data, id)
    }

    /// The attestation object for the page.
    ///
    /// constructCredentialAlg, step 1. The AAGUID always stays, as Level 3 requires for `none` too.
    private func conveyed(
        _ response: MakeCredentialResponse,
        _ data: AuthenticatorData,
        _ preference: AttestationConveyancePreference
    ) -> [UInt8] {
        switch preference {
        // Attestation of a software authenticator does not identify a person or device, so `indirect` is passed on unchanged.
        case .direct, .enterprise, .indirect: return response.attestationObject
        default:
            // "If the aaguid is 16 zero bytes, fmt is packed and x5c is absent, self attestation is being used".
            var hasChain = true
            if case .map(let pairs)? = response.attestationStatement {
                hasChain = pairs.contains { $0.key == .text("x5c") }
            }
            if response.format == "packed", !hasChain, data.attestedCredential?.aaguid == .zero {
                return response.attestationObject
            }
            return AttestationObject.assemble(
                format: "none",
                statement: [0xa0],
                authenticatorData: response.authenticatorData
            )
        }
    }

    /// "unique DOMStrings, in lexicographical order, that the authenticator is believed to support".
    private func transports(_ info: AuthenticatorInfo) -> [AuthenticatorTransport] {
        var transports = Set(info.transports)
        if info.options[.platformDevice] == true { transports.insert(.internal) }
        return transports.sorted { $0.rawValue < $1.rawValue }
    }
}
