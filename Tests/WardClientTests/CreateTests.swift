import Crypto
import Testing
import WardCBOR
import WardCOSE
import WardCTAP
import WardClient
import WardWebAuthn

/// WebAuthn Level 3, §5.1.3, step by step.
@Suite struct `Making a credential` {
    private func refused(
        _ authenticator: ScriptedAuthenticator = .init(),
        _ configuration: ClientConfiguration = .init(),
        from caller: Caller? = nil,
        mediation: CredentialMediationRequirement = .optional,
        _ change: (inout PublicKeyCredentialCreationOptions) -> Void = { _ in }
    ) async throws -> ClientError? {
        let client = WebAuthnClient(authenticator, configuration)
        let caller = try caller ?? ClientFixture.caller()
        let options = ClientFixture.creation(change)
        return await ClientError.thrown { try await client.create(options, from: caller, mediation: mediation) }
    }

    // MARK: Steps 2, 13 and 14: frames and client data

    @Test func `the client data is what was asked, hashed as it stands`() async throws {
        let (authenticator, response) = try await ClientFixture.holder()
        let expected = CollectedClientData(
            type: "webauthn.create",
            challenge: ClientFixture.challenge.base64URL,
            origin: ClientFixture.origin,
            crossOrigin: false
        )
        #expect(response.clientDataJSON == expected.serialized)
        let request = try #require(authenticator.seen.made.first)
        #expect(request.clientDataHash == Array(SHA256.hash(data: response.clientDataJSON)))
        #expect(request.user == CTAPUserEntity(id: ClientFixture.user.id, name: "ada", displayName: "Ada"))
        let context = try #require(authenticator.seen.contexts.first)
        #expect(context.origin?.description == ClientFixture.origin)
        #expect(context.topOrigin == nil)
        #expect(context.timeout == .seconds(300))
    }

    @Test func `a frame of another origin is named, and needs a person who just acted in it`() async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator)
        let frame = try WebOrigin(ClientFixture.origin)
        let top = try WebOrigin("https://shop.example")
        let response = try await client.create(
            ClientFixture.creation(),
            from: .frame(frame, under: top, hasTransientActivation: true)
        )
        let data = try CollectedClientData(parsing: response.clientDataJSON)
        #expect(data.crossOrigin == true)
        #expect(data.topOrigin == "https://shop.example")
        #expect(authenticator.seen.contexts.first?.topOrigin?.description == "https://shop.example")
        let idle = Caller.frame(frame, under: top, hasTransientActivation: false)
        #expect(try await refused(from: idle)?.code == .notAllowed)
    }

    // MARK: Step 10: kinds of key

    @Test func `no list means ES256 and RS256`() async throws {
        let authenticator = ScriptedAuthenticator()
        _ = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation { $0.pubKeyCredParams = [] },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.made.first?.pubKeyCredParams.map(\.alg) == [.es256, .rs256])
    }

    @Test func `unknown types are passed over, and nothing but them is a NotSupportedError`() async throws {
        var unknown = PublicKeyCredentialParameters(.edDSA)
        unknown.type = "quantum-key"
        let authenticator = ScriptedAuthenticator()
        _ = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation { $0.pubKeyCredParams = [unknown, .init(.es256)] },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.made.first?.pubKeyCredParams.map(\.alg) == [.es256])
        let error = try await refused { $0.pubKeyCredParams = [unknown] }
        #expect(error?.code == .notSupported && error?.detail.contains("public-key") == true)
    }

    @Test func `algorithms that this device does not have are a NotSupportedError`() async throws {
        let parameters = [-1, -257, -999].map { PublicKeyCredentialParameters(.init(rawValue: $0)) }
        let authenticator = ScriptedAuthenticator()
        #expect(try await refused(authenticator) { $0.pubKeyCredParams = parameters }?.code == .notSupported)
        #expect(authenticator.seen.made.isEmpty)
        let silent = ScriptedAuthenticator { $0.info.algorithms = [] }
        #expect(try await refused(silent) { $0.pubKeyCredParams = parameters }?.code == .notSupported)
    }

    // MARK: Step 22: the choice of the authenticator

    @Test func `cross-platform alone is not answered, after the person was asked as ever`() async throws {
        for refusal in [nil, CTAPStatus.operationDenied] {
            let authenticator = ScriptedAuthenticator { $0.refusal = refusal }
            let error = try await refused(authenticator) {
                $0.authenticatorSelection = .init(authenticatorAttachment: .crossPlatform, userVerification: .preferred)
            }
            #expect(error?.code == .notAllowed)
            #expect(error?.reason == .notOffered)
            #expect(authenticator.seen.selections == 1)
            #expect(authenticator.seen.made.isEmpty)
        }
    }

    @Test(
        arguments: [
            (AuthenticatorAttachment.platform, [], true), (.crossPlatform, [.clientDevice], true),
            (.crossPlatform, [.hybrid, .clientDevice], false), (.crossPlatform, [.securityKey], false),
            (.platform, [.securityKey], true), ("nowhere", [], true), ("nowhere", [.hybrid], true),
        ] as [(AuthenticatorAttachment, [PublicKeyCredentialHint], Bool)]
    )
    func `hints go before the attachment, and alone exclude nothing`(
        attachment: AuthenticatorAttachment,
        hints: [PublicKeyCredentialHint],
        isAnswered: Bool
    ) async throws {
        let authenticator = ScriptedAuthenticator()
        let response = try? await WebAuthnClient(authenticator).create(
            ClientFixture.creation {
                $0.authenticatorSelection = .init(authenticatorAttachment: attachment, userVerification: .preferred)
                $0.hints = hints
            },
            from: ClientFixture.caller()
        )
        #expect((response != nil) == isAnswered)
        if isAnswered { #expect(response?.authenticatorAttachment == .platform) }
    }

    @Test(
        arguments: [
            (ResidentKeyRequirement.required, true, true), (.preferred, true, true), (.preferred, false, nil),
            (.discouraged, true, nil), (nil, true, nil), ("unknown", true, nil),
        ] as [(ResidentKeyRequirement?, Bool, Bool?)]
    )
    func `residentKey becomes rk`(requirement: ResidentKeyRequirement?, canKeep: Bool, sent: Bool?) async throws {
        let authenticator = ScriptedAuthenticator { $0.info.options[.residentKey] = canKeep }
        _ = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation {
                $0.authenticatorSelection = .init(residentKey: requirement, userVerification: .discouraged)
            },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.made.first?.options.residentKey == sent)
    }

    @Test(
        arguments: [
            (UserVerificationRequirement.required, true, true), (.preferred, true, true), (.preferred, false, nil),
            (.discouraged, true, nil), ("unknown", true, nil),
        ] as [(UserVerificationRequirement, Bool, Bool?)]
    )
    func `userVerification becomes uv`(
        requirement: UserVerificationRequirement,
        canVerify: Bool,
        sent: Bool?
    ) async throws {
        let authenticator = ScriptedAuthenticator { $0.info.options[.userVerification] = canVerify }
        _ = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation {
                $0.authenticatorSelection = .init(residentKey: nil, userVerification: requirement)
            },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.made.first?.options.userVerification == sent)
        #expect(authenticator.seen.contexts.last?.isVerificationOptional == (requirement != .required))
    }

    @Test func `without authenticatorSelection verification is preferred`() async throws {
        let (authenticator, _) = try await ClientFixture.holder()
        #expect(authenticator.seen.made.first?.options.userVerification == true)
        #expect(authenticator.seen.made.first?.options.residentKey == nil)
    }

    @Test(arguments: [AuthenticatorOptions.Identifier.residentKey, .userVerification])
    func `what is required and cannot be had is a ConstraintError, once the person agreed to say so`(
        missing: AuthenticatorOptions.Identifier
    ) async throws {
        for (refusal, code) in [(nil, ClientError.Code.constraint), (CTAPStatus.operationDenied, .notAllowed)] {
            let authenticator = ScriptedAuthenticator {
                $0.info.options[missing] = false
                $0.refusal = refusal
            }
            let error = try await refused(authenticator) { $0.authenticatorSelection = .init() }
            #expect(error?.code == code)
            #expect(authenticator.seen.selections == 1)
        }
    }

    @Test func `an excluded credential is an InvalidStateError`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let error = try await refused(authenticator) { $0.excludeCredentials = [.init(id: held.id)] }
        #expect(error?.code == .invalidState)
    }

    @Test func `excluded entries of unknown types are left out`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        var unknown = PublicKeyCredentialDescriptor(id: held.id)
        unknown.type = "quantum-key"
        let options = ClientFixture.creation { $0.excludeCredentials = [unknown] }
        _ = try await WebAuthnClient(authenticator).create(options, from: ClientFixture.caller())
        #expect(authenticator.seen.made.last?.excludeList == [])
    }

    @Test func `a list longer than the authenticator takes is looked through beforehand, with nobody asked`()
        async throws
    {
        let (authenticator, held) = try await ClientFixture.holder { $0.info.maximumCredentialCountInList = 2 }
        let others = (0..<5).compactMap { CredentialID([UInt8](repeating: $0, count: 32)) }
        let list = (others + [held.id]).map { PublicKeyCredentialDescriptor(id: $0) }
        #expect(try await refused(authenticator) { $0.excludeCredentials = list }?.code == .invalidState)
        #expect(authenticator.seen.got.count == 3)
        #expect(authenticator.seen.got.allSatisfy { $0.options.userPresence == false && $0.allowList.count <= 2 })
    }

    // MARK: What a page learns

    @Test(arguments: [
        (CTAPStatus.operationDenied, ClientError.Reason.denied), (.userActionTimeout, .timedOut),
        (.actionTimeout, .timedOut), (.keepaliveCancel, .denied), (.keyStoreFull, .authenticator),
        (.other, .authenticator), (.invalidOption, .authenticator), (.userVerificationInvalid, .authenticator),
        (.noCredentials, .nothingFound), (.init(rawValue: 0xe7), .authenticator),
    ])
    func `every refusal looks alike to the page`(status: CTAPStatus, reason: ClientError.Reason) async throws {
        let error = try await refused(ScriptedAuthenticator { $0.refusal = status })
        #expect(error?.code == .notAllowed)
        #expect(error?.detail == "the operation timed out, was not allowed, or found nothing")
        #expect(error?.reason == reason)
    }

    @Test(
        arguments: [
            ("another RP ID", { @Sendable in $0.authenticatorData[0] ^= 1 }),
            ("no credential", { @Sendable in $0.authenticatorData = Array($0.authenticatorData.prefix(37)) }),
            ("nobody there", { @Sendable in $0.authenticatorData[32] &= 0xfe }),
            ("garbage", { @Sendable in $0.authenticatorData = [1, 2, 3] }),
        ] as [(String, @Sendable (inout MakeCredentialResponse) -> Void)]
    )
    func `an answer that is not sound is an UnknownError`(
        name: String,
        spoil: @escaping @Sendable (inout MakeCredentialResponse) -> Void
    ) async throws {
        #expect(try await refused(ScriptedAuthenticator { $0.spoilMake = spoil })?.code == .unknown)
    }

    @Test func `verification that was required and did not happen is an UnknownError`() async throws {
        let authenticator = ScriptedAuthenticator { $0.spoilMake = { $0.authenticatorData[32] &= 0xfb } }
        let error = try await refused(authenticator) { $0.authenticatorSelection = .init(userVerification: .required) }
        #expect(error?.code == .unknown)
    }

    @Test func `a kind of key that nobody asked for is an UnknownError`() async throws {
        #expect(try await refused(ScriptedAuthenticator { $0.insistsOn = .edDSA })?.code == .unknown)
    }

    // MARK: constructCredentialAlg

    @Test(arguments: [
        (AttestationConveyancePreference.none, "none"), ("unknown", "none"), (.direct, "packed"),
        (.indirect, "packed"), (.enterprise, "packed"),
    ])
    func `attestation is conveyed as asked, and the model stays`(
        preference: AttestationConveyancePreference,
        format: String
    ) async throws {
        let authenticator = ScriptedAuthenticator { $0.attestsItself = true }
        let response = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation {
                $0.attestation = preference
                $0.attestationFormats = ["packed"]
            },
            from: ClientFixture.caller()
        )
        let object = try AttestationObject(response.attestationObject)
        #expect(object.format == format)
        #expect((object.statement == [0xa0]) == (format == "none"))
        #expect(object.authenticatorData.attestedCredential?.aaguid == authenticator.seen.info.aaguid)
        let sent = authenticator.seen.made.first
        #expect(sent?.attestationFormatsPreference == [format])
        #expect(sent?.enterpriseAttestation == nil)
    }

    @Test func `self attestation without a model passes even where none is wanted`() async throws {
        let authenticator = ScriptedAuthenticator {
            $0.attestsItself = true
            $0.info.aaguid = .zero
        }
        let response = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation(),
            from: ClientFixture.caller()
        )
        #expect(try AttestationObject(response.attestationObject).format == "packed")
    }

    @Test func `a chain of certificates does not pass where none is wanted`() async throws {
        let authenticator = ScriptedAuthenticator {
            $0.info.aaguid = .zero
            $0.spoilMake = {
                $0.format = "packed"
                $0.attestationStatement = ["x5c": .array([.bytes([1])])]
            }
        }
        let response = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation(),
            from: ClientFixture.caller()
        )
        #expect(try AttestationObject(response.attestationObject).format == "none")
    }

    @Test func `enterprise attestation is asked for where the administrator lists the RP ID`() async throws {
        for (listed, sent) in [("example.com", 2), ("example.org", nil)] {
            let authenticator = ScriptedAuthenticator { $0.info.options[.enterpriseAttestation] = true }
            let client = WebAuthnClient(authenticator, ClientConfiguration(enterpriseRPIDs: [listed]))
            _ = try await client.create(
                ClientFixture.creation { $0.attestation = .enterprise },
                from: ClientFixture.caller()
            )
            #expect(authenticator.seen.made.first?.enterpriseAttestation == sent)
        }
    }

    @Test(arguments: [(AttestationConveyancePreference.direct, true), (.none, true), (.enterprise, false)])
    func `enterprise attestation is asked for only if the service wants it and the authenticator has it`(
        preference: AttestationConveyancePreference,
        isSupported: Bool
    ) async throws {
        let authenticator = ScriptedAuthenticator { $0.info.options[.enterpriseAttestation] = isSupported }
        let client = WebAuthnClient(authenticator, ClientConfiguration(enterpriseRPIDs: ["example.com"]))
        _ = try await client.create(
            ClientFixture.creation { $0.attestation = preference },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.made.map(\.enterpriseAttestation) == [nil])
    }

    @Test func `transports are unique and in order`() async throws {
        let (_, response) = try await ClientFixture.holder { $0.info.transports = [.usb, .hybrid, .usb] }
        #expect(response.transports == [.hybrid, .internal, .usb])
        #expect(response.authenticatorAttachment == .platform)
        let (_, roaming) = try await ClientFixture.holder {
            $0.info.options[.platformDevice] = nil
            $0.info.transports = []
        }
        #expect(roaming.transports == [])
        #expect(roaming.authenticatorAttachment == .crossPlatform)
    }
}
