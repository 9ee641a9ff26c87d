import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgent
import WardAgentClient
import WardTesting

@MainActor @Suite(.timeLimit(.minutes(15))) struct `With Ward's own agent` {
    private let controller = AuthorizationController()
    private let platform = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")

    /// A request that the service's policy asks for: with a verified person.
    private func assertion(_ challenge: Data) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        let request = platform.createCredentialAssertionRequest(challenge: challenge)
        request.userVerificationPreference = .required
        return request
    }

    /// Makes a passkey and has the service take it.
    private func register(_ fixture: RealAgentFixture, _ service: ExampleService, _ userID: Data) async throws {
        let challenge = try await service.registrationChallenge(userID: userID)
        fixture.person.will(RealAgentFixture.typed)
        let request = platform.createCredentialRegistrationRequest(challenge: challenge, name: "anna", userID: userID)
        request.userVerificationPreference = .required
        let result = try await controller.performRequest(request)
        try await take(result, challenge, service)
    }

    private func take(_ result: ASAuthorizationResult, _ challenge: Data, _ service: ExampleService) async throws {
        guard case .passkeyRegistration(let passkey) = result else {
            Issue.record("no passkey was made")
            return
        }
        try await service.register(
            challenge,
            id: passkey.credentialID,
            attestationObject: passkey.rawAttestationObject,
            clientDataJSON: passkey.rawClientDataJSON
        )
    }

    private func signIn(_ result: ASAuthorizationResult, _ challenge: Data, _ service: ExampleService) async throws
        -> Data?
    {
        guard case .passkeyAssertion(let passkey) = result else { return nil }
        return try await service.signIn(
            challenge,
            id: passkey.credentialID,
            authenticatorData: passkey.rawAuthenticatorData,
            clientDataJSON: passkey.rawClientDataJSON,
            signature: passkey.signature,
            userID: passkey.userID
        )
    }

    @Test func `a passkey is made and signs in, and the service verifies both`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        let userID = service.newUserID()
        try await fixture.running {
            try await register(fixture, service, userID)
            let challenge = try await service.signInChallenge()
            fixture.person.will(RealAgentFixture.typed)
            let result = try await controller.performRequests([
                assertion(challenge),
                ASAuthorizationPasswordProvider().createRequest(),
            ])
            #expect(try await signIn(result, challenge, service) == userID)
        }
        try await fixture.end()
    }

    /// The code of the error of a sign-in.
    private func refusal(_ challenge: Data) async -> ASAuthorizationError.Code? {
        do {
            _ = try await controller.performRequest(assertion(challenge))
            return nil
        } catch { return (error as? ASAuthorizationError)?.code }
    }

    @Test func `where nobody can be asked it is not a refusal, and three empty passphrases are one`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        try await fixture.running {
            try await register(fixture, service, service.newUserID())
            let challenge = try await service.signInChallenge()
            _ = try await fixture.call(Lock())
            fixture.person.will(.secret([]), .secret([]), .secret([]))
            #expect(await refusal(challenge) == .canceled)
            _ = try await fixture.call(
                Unlock(authorization: Authorization(passphrase: RealAgentFixture.passphrase), trustsFile: false)
            )
            fixture.person.fails(AgentError(.promptMissing, "no pinentry is installed"))
            #expect(await refusal(challenge) == .notInteractive)
        }
        try await fixture.end()
    }

    @Test func `a password from the sheet is followed by a passkey without a question`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        let userID = service.newUserID()
        try await fixture.keep("anna", "opensesame")
        try await fixture.running {
            fixture.person.will(.agreed)
            let signInChallenge = try await service.signInChallenge()
            let result = try await controller.performRequests([
                platform.createCredentialAssertionRequest(challenge: signInChallenge),
                ASAuthorizationPasswordProvider().createRequest(),
            ])
            guard case .password(let password) = result else {
                Issue.record("no password came")
                return
            }
            #expect(password.password == "opensesame")
            let asked = fixture.person.asked.count
            let challenge = try await service.registrationChallenge(userID: userID, isConditional: true)
            let upgrade = platform.createCredentialRegistrationRequest(
                challenge: challenge,
                name: password.user,
                userID: userID,
                requestStyle: .conditional
            )
            try await take(try await controller.performRequest(upgrade), challenge, service)
            #expect(fixture.person.asked.count == asked)
            #expect(service.store.credentials.count == 1)
        }
        try await fixture.end()
    }

    @Test func `a passkey from a text field signs in`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        let userID = service.newUserID()
        try await fixture.running {
            try await register(fixture, service, userID)
            let challenge = try await service.signInChallenge()
            let waiting = Task {
                try await controller.performAutoFillAssistedRequest(assertion(challenge))
            }
            let session = try #require(LocalAutoFill.session)
            let field = Field(.username)
            session.beginEditing(field)
            var passkey: AutoFillSuggestion?
            while passkey == nil {
                // Until the request waits there is no domain to ask for, and an adapter shows nothing.
                passkey = try? await session.suggestions().first { $0.kind == .passkey }
                await Task.yield()
            }
            fixture.person.will(RealAgentFixture.typed)
            #expect(try await session.accept(#require(passkey)) == .completed)
            #expect(try await signIn(try await waiting.value, challenge, service) == userID)
        }
        try await fixture.end()
    }

    @Test func `a user name and its password are filled in`() async throws {
        let fixture = try await RealAgentFixture()
        try await fixture.keep("anna", "opensesame")
        try await fixture.running {
            let (name, secret) = (Field(.username), Field(.password))
            name.domain = "example.com"
            let session = try #require(LocalAutoFill.session)
            session.beginEditing(name, in: [name, secret])
            let suggestion = try #require(try await session.suggestions().first { $0.kind == .password })
            #expect(suggestion.user == "anna")
            fixture.person.will(.agreed)
            #expect(try await session.accept(suggestion) == .filled)
            #expect([name.text, secret.text] == ["anna", "opensesame"])
        }
        try await fixture.end()
    }

    @Test func `refusals arrive with their codes`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        try await fixture.running {
            let challenge = try await service.signInChallenge()
            let assertion = platform.createCredentialAssertionRequest(challenge: challenge)
            await #expect { try await controller.performRequest(assertion) } throws: { error in
                (error as? ASAuthorizationError)?.code == .canceled
            }
            await #expect {
                try await controller.performRequest(assertion, options: .preferImmediatelyAvailableCredentials)
            } throws: { error in
                (error as? ASAuthorizationError)?.code == .canceled
            }
            #expect(fixture.person.asked.isEmpty)
            let strange = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.net")
            await #expect {
                try await controller.performRequest(strange.createCredentialAssertionRequest(challenge: challenge))
            } throws: { error in
                let error = error as? ASAuthorizationError
                return error?.code == .failed
                    && error?.userInfo[ASAuthorizationError.agentCodeKey] as? String == "not_associated"
            }
            let made = platform.createCredentialRegistrationRequest(
                challenge: challenge,
                name: "anna",
                userID: service.newUserID()
            )
            await #expect { try await controller.performRequest(made) } throws: { error in
                (error as? ASAuthorizationError)?.code == .canceled
            }
        }
        try await fixture.end()
    }

    @Test func `cancelling closes the agent's prompt`() async throws {
        let fixture = try await RealAgentFixture()
        let service = try ExampleService()
        fixture.person.thinks()
        try await fixture.running {
            let request = platform.createCredentialRegistrationRequest(
                challenge: try await service.registrationChallenge(userID: service.newUserID()),
                name: "anna",
                userID: service.newUserID()
            )
            let delegate = RecordingDelegate()
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = delegate
            controller.performRequests()
            await until { fixture.person.openPrompts == 1 }
            controller.cancel()
            await until { fixture.person.openPrompts == 0 && !delegate.endings.isEmpty }
            #expect(delegate.codes == [.canceled])
        }
        try await fixture.end()
    }
}
