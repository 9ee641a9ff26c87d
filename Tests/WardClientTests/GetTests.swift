import Crypto
import Testing
import WardCTAP
import WardClient
import WardText
import WardWebAuthn

/// WebAuthn Level 3, §5.1.4.1, step by step.
@Suite struct `Using a credential` {
    private func refused(
        _ authenticator: ScriptedAuthenticator,
        from caller: Caller? = nil,
        _ change: (inout PublicKeyCredentialRequestOptions) -> Void = { _ in }
    ) async throws -> ClientError? {
        let caller = try caller ?? ClientFixture.caller()
        let options = ClientFixture.request(change)
        return await ClientError.thrown { try await WebAuthnClient(authenticator).get(options, from: caller) }
    }

    @Test func `a discoverable credential answers for its account`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let response = try await WebAuthnClient(authenticator).get(
            ClientFixture.request(),
            from: ClientFixture.caller()
        )
        #expect(response.id == held.id)
        #expect(response.userHandle == ClientFixture.user.id)
        #expect(response.authenticatorAttachment == .platform)
        let expected = CollectedClientData(
            type: "webauthn.get",
            challenge: ClientFixture.challenge.base64URL,
            origin: ClientFixture.origin,
            crossOrigin: false
        )
        #expect(response.clientDataJSON == expected.serialized)
        let request = try #require(authenticator.seen.got.first)
        #expect(request.clientDataHash == Array(SHA256.hash(data: response.clientDataJSON)))
        #expect(request.allowList == [])
        #expect(request.options.userPresence == nil)
        #expect(request.options.residentKey == nil)
    }

    @Test func `a frame may use one without having been clicked, and is named`() async throws {
        let (authenticator, _) = try await ClientFixture.holder()
        let caller = Caller.frame(
            try WebOrigin(ClientFixture.origin),
            under: try WebOrigin("https://shop.example"),
            hasTransientActivation: false
        )
        let response = try await WebAuthnClient(authenticator).get(ClientFixture.request(), from: caller)
        let data = try CollectedClientData(parsing: response.clientDataJSON)
        #expect(data.crossOrigin == true)
        #expect(data.topOrigin == "https://shop.example")
    }

    @Test func `only what is allowed answers`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let client = WebAuthnClient(authenticator)
        let allowed = [
            PublicKeyCredentialDescriptor(id: ClientFixture.otherID), .init(id: held.id, transports: [.usb]),
        ]
        let response = try await client.get(
            ClientFixture.request { $0.allowCredentials = allowed },
            from: ClientFixture.caller()
        )
        #expect(response.id == held.id)
        let error = try await refused(authenticator) { $0.allowCredentials = [.init(id: ClientFixture.otherID)] }
        #expect(error?.code == .notAllowed)
        #expect(error?.reason == .nothingFound)
    }

    @Test func `a list of unknown types is not an empty list`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        var unknown = PublicKeyCredentialDescriptor(id: held.id)
        unknown.type = "quantum-key"
        let error = try await refused(authenticator) { $0.allowCredentials = [unknown] }
        #expect(error?.code == .notAllowed)
        #expect(authenticator.seen.got.isEmpty)
        #expect(authenticator.seen.selections == 1)
        let options = ClientFixture.request { $0.allowCredentials = [unknown, .init(id: held.id)] }
        _ = try await WebAuthnClient(authenticator).get(options, from: ClientFixture.caller())
        #expect(authenticator.seen.got.last?.allowList.map(\.type) == ["public-key"])
    }

    @Test func `an identifier that is left out is the one that was allowed`() async throws {
        let (authenticator, held) = try await ClientFixture.holder { $0.spoilGet = { $0.credential = nil } }
        let options = ClientFixture.request { $0.allowCredentials = [.init(id: held.id)] }
        #expect(try await WebAuthnClient(authenticator).get(options, from: ClientFixture.caller()).id == held.id)
        #expect(try await refused(authenticator)?.code == .unknown)
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
        let (authenticator, _) = try await ClientFixture.holder { $0.info.options[.userVerification] = canVerify }
        _ = try await WebAuthnClient(authenticator).get(
            ClientFixture.request { $0.userVerification = requirement },
            from: ClientFixture.caller()
        )
        #expect(authenticator.seen.got.first?.options.userVerification == sent)
        #expect(authenticator.seen.contexts.last?.isVerificationOptional == (requirement != .required))
    }

    @Test func `a result of prf requires the verification that the page prefers`() async throws {
        let (authenticator, _) = try await ClientFixture.holder()
        let extensions = try AuthenticationExtensionsClientInputs(
            JSONValue(Array(#"{"prf":{"eval":{"first":"AAAA"}}}"#.utf8))
        )
        let options = ClientFixture.request {
            $0.userVerification = .preferred
            $0.extensions = extensions
        }
        _ = try await WebAuthnClient(authenticator).get(options, from: ClientFixture.caller())
        #expect(authenticator.seen.contexts.last?.isVerificationOptional == false)
    }

    @Test func `verification that is required and cannot be had looks like nothing found`() async throws {
        let (authenticator, _) = try await ClientFixture.holder { $0.info.options[.userVerification] = false }
        let error = try await refused(authenticator) { $0.userVerification = .required }
        let nothing = try await refused(ScriptedAuthenticator())
        #expect(error?.code == .notAllowed)
        #expect(String(describing: error) == String(describing: nothing))
        #expect(authenticator.seen.selections == 1)
    }

    @Test func `verification that was required and did not happen is an UnknownError`() async throws {
        let (authenticator, _) = try await ClientFixture.holder { $0.spoilGet = { $0.authenticatorData[32] &= 0xfb } }
        #expect(try await refused(authenticator) { $0.userVerification = .required }?.code == .unknown)
    }

    @Test(arguments: [
        CTAPStatus.operationDenied, .userActionTimeout, .noCredentials, .keepaliveCancel, .other, .credentialExcluded,
        .unsupportedAlgorithm, .integrityFailure,
    ])
    func `every refusal looks alike to the page`(status: CTAPStatus) async throws {
        let error = try await refused(ScriptedAuthenticator { $0.refusal = status })
        let shown = try #require(error)
        #expect("\(shown)" == "NotAllowedError: the operation timed out, was not allowed, or found nothing")
    }

    @Test(
        arguments: [
            ("another RP ID", { @Sendable in $0.authenticatorData[0] ^= 1 }),
            ("nobody there", { @Sendable in $0.authenticatorData[32] &= 0xfe }),
            ("no account", { @Sendable in $0.user = nil }),
            ("garbage", { @Sendable in $0.authenticatorData = [] }),
        ] as [(String, @Sendable (inout GetAssertionResponse) -> Void)]
    )
    func `an answer that is not sound is an UnknownError`(
        name: String,
        spoil: @escaping @Sendable (inout GetAssertionResponse) -> Void
    ) async throws {
        let (authenticator, _) = try await ClientFixture.holder { $0.spoilGet = spoil }
        #expect(try await refused(authenticator)?.code == .unknown)
    }

    @Test func `a credential nobody allowed is an UnknownError`() async throws {
        let (authenticator, held) = try await ClientFixture.holder {
            $0.spoilGet = { $0.credential = PublicKeyCredentialDescriptor(id: ClientFixture.otherID) }
        }
        #expect(try await refused(authenticator) { $0.allowCredentials = [.init(id: held.id)] }?.code == .unknown)
    }

    @Test func `an authenticator that asks nobody which lets the person choose here`() async throws {
        let (authenticator, first) = try await ClientFixture.holder { $0.asksNobodyWhich = true }
        let second = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation { $0.user.name = "grace" },
            from: ClientFixture.caller()
        )
        for (choice, expected) in [(0, second.id), (1, first.id)] {
            let configuration = ClientConfiguration(chooseAccount: { accounts in
                accounts.map(\.name) == ["grace", "ada"] ? choice : nil
            })
            let client = WebAuthnClient(authenticator, configuration)
            #expect(try await client.get(ClientFixture.request(), from: ClientFixture.caller()).id == expected)
        }
        for choice in [nil, 2, -1] {
            let client = WebAuthnClient(authenticator, ClientConfiguration(chooseAccount: { _ in choice }))
            let error = await ClientError.thrown {
                try await client.get(ClientFixture.request(), from: ClientFixture.caller())
            }
            #expect(error?.reason == .denied)
        }
    }
}
