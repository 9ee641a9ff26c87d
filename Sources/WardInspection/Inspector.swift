internal import WardAttestation
internal import WardCOSE
internal import WardDomains
internal import WardRelyingParty
internal import WardText
public import WardWebAuthn

/// Decodes a message, and verifies it as far as the known values allow.
///
/// The verdict comes from the relying party's own verification; there is no second implementation.
public struct Inspector: Sendable {
    private let request: InspectionRequest
    private let clock: Int64
    /// A random host label, for the origin that a relying party needs if none was given.
    private let standIn = Hex.encode(Effects.live.randomBytes(16))

    /// Creates an inspector.
    ///
    /// - Parameters:
    ///   - request: The known values.
    ///   - effects: The clock, if the request has no time.
    public init(_ request: InspectionRequest, effects: Effects = .live) {
        self.request = request
        clock = request.at ?? effects.now()
    }

    // MARK: Registrations

    /// Inspects a registration: the JSON of a response, or an attestation object alone, which is only decoded.
    ///
    /// - Parameter material: The input.
    /// - Returns: The result; a malformed response is a refusal.
    /// - Throws: ``InspectionError`` if the request contradicts itself.
    public func registration(_ material: Material) throws(InspectionError) -> Inspection {
        guard material.form == .json else {
            var inspection = Inspection(nil)
            inspection.decoded = [.attestationObject(material.bytes)]
            return inspection
        }
        let response: RegistrationResponse
        do { response = try RegistrationResponse(json: material.bytes) } catch {
            return refused(error, "7.1.3")
        }
        let decoded = [
            InspectedField("id", response.id.base64URL, note: "\(response.id.bytes.count) bytes"),
            .clientData(response.clientDataJSON), .attestationObject(response.attestationObject),
            InspectedField("transports", response.transports.map(\.rawValue).joined(separator: ", ")),
            .json_("clientExtensionResults", response.clientExtensionResults.value),
        ]
        guard request.canVerify else { return decodedOnly(decoded) }
        let relyingParty = try relyingParty(claimedOrigin: response.clientDataJSON)
        let user = PublicKeyCredentialUserEntity(id: .random(), name: "", displayName: "")
        let ceremony = try ceremony(.registration, clientData: response.clientDataJSON, user: user, userHandle: nil)
        var inspection: Inspection
        var failure: VerificationError?
        do {
            let verified = try relyingParty.verify(response, for: ceremony)
            inspection = Inspection(.accepted)
            inspection.format = verified.attestation.format
            inspection.trust = Self.name(verified.attestation.trust)
            inspection.credential = .init(
                verified.credential,
                userVerified: verified.userVerified,
                aaguid: verified.credential.aaguid
            )
        } catch {
            failure = error
            inspection = refused(error)
            inspection.format = try? AttestationObject(response.attestationObject).format
        }
        var unchecked = self.unchecked(challenge: 8, origin: 9)
        unchecked[26] = "no store is asked here"
        if request.trustAnchors.isEmpty, request.metadata == nil { unchecked[24] = "no trust anchor was given" }
        inspection.steps = StepReport.all(.registration, failure: failure, unchecked: unchecked)
        inspection.decoded = decoded
        return inspection
    }

    // MARK: Assertions

    /// Inspects a sign-in: the JSON of a response, or authenticator data alone, which is only decoded.
    ///
    /// - Parameter material: The input.
    /// - Returns: The result; a malformed response is a refusal.
    /// - Throws: ``InspectionError`` if the request contradicts itself.
    public func assertion(_ material: Material) throws(InspectionError) -> Inspection {
        guard material.form == .json else {
            var inspection = Inspection(nil)
            inspection.decoded = [.authenticatorData(material.bytes)]
            return inspection
        }
        let response: AuthenticationResponse
        do { response = try AuthenticationResponse(json: material.bytes) } catch {
            return refused(error, "7.2.3")
        }
        let decoded = [
            InspectedField("id", response.id.base64URL, note: "\(response.id.bytes.count) bytes"),
            .clientData(response.clientDataJSON), .authenticatorData(response.authenticatorData),
            .bytes("signature", response.signature, limit: 80),
            InspectedField("userHandle", response.userHandle?.base64URL ?? "absent"),
            .json_("clientExtensionResults", response.clientExtensionResults.value),
        ]
        guard request.canVerify, let publicKey = request.publicKey else { return decodedOnly(decoded) }
        guard let user = response.userHandle ?? UserHandle([0]) else { return decodedOnly(decoded) }
        let relyingParty = try relyingParty(claimedOrigin: response.clientDataJSON)
        let ceremony = try ceremony(.authentication, clientData: response.clientDataJSON, user: nil, userHandle: user)
        let flags = (try? AuthenticatorData(response.authenticatorData))?.flags ?? []
        let record = CredentialRecord(
            id: response.id,
            userHandle: user,
            publicKey: publicKey,
            signCount: request.signCount,
            uvInitialized: true,
            transports: [],
            backupEligible: request.backupEligible ?? flags.contains(.backupEligible),
            backedUp: false,
            aaguid: .zero,
            attestationFormat: "none",
            rpID: relyingParty.id.description
        )
        var inspection: Inspection
        var failure: VerificationError?
        do {
            let verified = try relyingParty.verify(response, for: ceremony, record: record)
            inspection = Inspection(.accepted)
            inspection.signals = verified.signals.map(\.name)
            inspection.credential = .init(verified.credential, userVerified: verified.userVerified, aaguid: nil)
        } catch {
            failure = error
            inspection = refused(error)
        }
        var unchecked = self.unchecked(challenge: 11, origin: 12)
        unchecked[5] = "no list of allowed credentials was given"
        unchecked[6] = "the public key given is taken for the account's"
        if request.backupEligible == nil { unchecked[19] = "the record's backup eligibility was not given" }
        inspection.steps = StepReport.all(.authentication, failure: failure, unchecked: unchecked)
        inspection.decoded = decoded
        return inspection
    }

    // // MARK: Decoding without verification

    /// Inspects options of either kind.
    ///
    /// - Parameter material: Their JSON.
    /// - Returns: The result.
    /// - Throws: ``InspectionError`` with the malformed member.
    public func options(_ material: Material) throws(InspectionError) -> Inspection {
        guard material.form == .json else { throw InspectionError("the options must be JSON") }
        return decodedOnly([try .options(material.bytes)])
    }

    /// Inspects CBOR: any value, and the position where it is no longer canonical.
    public func cbor(_ material: Material) -> Inspection {
        decodedOnly([.cbor("CBOR", material.bytes)])
    }

    /// Inspects a certificate in DER.
    public func certificate(_ material: Material) -> Inspection {
        decodedOnly([.certificate("certificate", material.bytes)])
    }

    // MARK: Pieces

    private func decodedOnly(_ decoded: [InspectedField]) -> Inspection {
        var inspection = Inspection(nil)
        inspection.decoded = decoded
        return inspection
    }

    private func refused(_ error: VerificationError) -> Inspection {
        var inspection = Inspection(.refused)
        inspection.code = error.code.name
        inspection.step = "\(error.step)"
        let page = "https://\(standIn).\(request.rpID ?? "")"
        inspection.detail = error.detail.replacing(page + ", ", with: "").replacing(page, with: "none that was given")
        return inspection
    }

    private func refused(_ error: WebAuthnError, _ step: String) -> Inspection {
        var inspection = Inspection(.refused)
        inspection.code = error.code.name
        inspection.step = step
        inspection.detail = error.detail
        return inspection
    }

    /// A relying party that accepts every algorithm and format, at the time of the request.
    private func relyingParty(claimedOrigin clientData: [UInt8]) throws(InspectionError) -> RelyingParty {
        var policy = RelyingPartyPolicy()
        policy.algorithms = COSEAlgorithmIdentifier.supported
        policy.attestation = try attestationPolicy()
        if !request.topOrigins.isEmpty {
            var allowed: Set<WebOrigin> = []
            for text in request.topOrigins {
                do { allowed.insert(try WebOrigin(text)) } catch { throw InspectionError("\(text): \(error)") }
            }
            policy.framing = .allowedWithoutTopOrigin(in: allowed)
        }
        let id = request.rpID ?? ""
        let clock = clock
        do {
            let (own, related) = try origins(of: id, claimedIn: clientData)
            return try RelyingParty(
                id: id,
                name: "inspection",
                origins: own,
                relatedOrigins: related,
                policy: policy,
                effects: Effects(now: { clock }, randomBytes: Effects.live.randomBytes)
            )
        } catch let error as InspectionError {
            throw error
        } catch {
            throw InspectionError("\(error)")
        }
    }

    /// The given origins; those outside the RP ID become related origins.
    ///
    /// If none is given, the origin in the client data is used if it belongs to the RP ID. The step is then reported as not
    /// checked.
    private func origins(
        of id: String,
        claimedIn clientData: [UInt8]
    ) throws(InspectionError) -> (own: [String], related: [String]) {
        let rpID: RelyingPartyID
        do { rpID = try RelyingPartyID(id) } catch {
            throw InspectionError("the RP ID \(InspectedField.printable(id)): \(error)")
        }
        let isOwn = { (text: String) -> Bool in
            guard let origin = try? Origin(text) else { return true }
            return origin.web.map(rpID.covers) ?? true
        }
        var own = request.origins.filter(isOwn)
        if request.origins.isEmpty, let claimed = (try? CollectedClientData(parsing: clientData))?.origin,
            (try? Origin(claimed)) != nil, isOwn(claimed)
        {
            own = [claimed]
        }
        return (own.isEmpty ? ["https://\(standIn).\(id)"] : own, request.origins.filter { !isOwn($0) })
    }

    private func ceremony(
        _ kind: Ceremony.Kind,
        clientData: [UInt8],
        user: PublicKeyCredentialUserEntity?,
        userHandle: UserHandle?
    ) throws(InspectionError) -> Ceremony {
        let claimed = (try? CollectedClientData(parsing: clientData)).flatMap { Base64URL.decode($0.challenge) }
        guard let id = CeremonyID([UInt8](repeating: 0, count: 16)),
            let placeholder = Challenge([UInt8](repeating: 0, count: 32))
        else { throw InspectionError("cannot create a ceremony for these values") }
        if let given = request.challenge, Challenge(given) == nil {
            throw InspectionError(
                given.count < 16
                    ? "the challenge is too short: \(given.count) bytes, and at least 16 are needed. Send 32 random bytes."
                    : "the challenge is too long: \(given.count) bytes, and at most 1,024 are allowed"
            )
        }
        return Ceremony(
            id: id,
            kind: kind,
            challenge: (request.challenge ?? claimed).flatMap(Challenge.init) ?? placeholder,
            rpID: request.rpID ?? "",
            requiresUserVerification: request.requiresUserVerification,
            isConditional: request.isConditional,
            algorithms: COSEAlgorithmIdentifier.supported,
            user: user,
            userHandle: userHandle,
            appID: request.appID,
            expiresAt: .max
        )
    }

    /// Every format is verified; the trust anchors depend on the known values.
    private func attestationPolicy() throws(InspectionError) -> AttestationPolicy {
        var policy = AttestationPolicy(conveyance: .none, formats: .all)
        let anchors: TrustAnchors
        do { anchors = try TrustAnchors(der: request.trustAnchors) } catch {
            throw InspectionError("a trust anchor is malformed: \(error)")
        }
        if let text = request.metadata {
            // FIDO or one of the given anchors must have signed the list.
            let signers = TrustAnchors.fidoMetadata.union(anchors)
            do {
                let blob = try MetadataBLOB(verifying: text, anchors: signers, at: clock)
                policy.judge = CertificateJudge(anchors: KnownAuthenticators(blob: blob, others: anchors))
            } catch {
                throw InspectionError("the metadata is refused: \(error)")
            }
        } else if !anchors.isEmpty {
            policy.judge = CertificateJudge(anchors: anchors)
        }
        return policy
    }

    private func unchecked(challenge: Int, origin: Int) -> [Int: String] {
        var unchecked: [Int: String] = [:]
        if request.challenge == nil { unchecked[challenge] = "the challenge that was sent was not given" }
        if request.origins.isEmpty { unchecked[origin] = "no origin was given" }
        return unchecked
    }

    private static func name(_ trust: AttestationTrust) -> String {
        switch trust {
        case .none: "none"
        case .selfAttestation: "self"
        case .chain: "chain"
        case .notAssessed: "not_assessed"
        }
    }
}

extension Inspection.Credential {
    init(_ record: CredentialRecord, userVerified: Bool, aaguid: AAGUID?) {
        id = record.id
        publicKey = record.publicKey
        algorithm = (try? COSEKey(record.publicKey))?.algorithm.rawValue ?? 0
        self.aaguid = aaguid
        signCount = record.signCount
        backupEligible = record.backupEligible
        backedUp = record.backedUp
        self.userVerified = userVerified
    }
}
