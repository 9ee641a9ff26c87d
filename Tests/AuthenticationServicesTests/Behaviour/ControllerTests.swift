import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgentClient

@MainActor @Suite struct `What the controller does` {
    private let challenge = Data(repeating: 7, count: 32)
    private let platform = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")

    private var assertion: ASAuthorizationRequest { platform.createCredentialAssertionRequest(challenge: challenge) }
    private var registration: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        platform.createCredentialRegistrationRequest(challenge: challenge, name: "anna", userID: Data([1]))
    }

    private func perform(
        _ requests: [ASAuthorizationRequest],
        _ options: ASAuthorizationController.RequestOptions = [],
        on fixture: AppFixture = AppFixture()
    ) async throws -> (Result<any ASAuthorizationCredential, ASAuthorizationError>, [AuthorizeApp]) {
        try await AppFixture.running(fixture) { _, agent in
            let delegate = RecordingDelegate()
            let controller = ASAuthorizationController(authorizationRequests: requests)
            controller.delegate = delegate
            controller.performRequests(options: options)
            await until { !delegate.endings.isEmpty }
            #expect(delegate.endings.count == 1)
            return (try #require(delegate.endings.first), agent.questions)
        }
    }

    private func code(_ ending: Result<any ASAuthorizationCredential, ASAuthorizationError>) -> ASAuthorizationError
        .Code?
    {
        if case .failure(let error) = ending { error.code } else { nil }
    }

    @Test func `a registration beside a sign-in is refused before the agent is asked`() async throws {
        for other in [
            assertion, ASAuthorizationPasswordProvider().createRequest(),
            ASAuthorizationAppleIDProvider().createRequest(),
        ] {
            let (ending, questions) = try await perform([registration, other])
            #expect(code(ending) == .failed)
            #expect(questions.isEmpty)
        }
    }

    @Test func `registrations of two kinds go together`() async throws {
        let key = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
            .createCredentialRegistrationRequest(
                challenge: challenge,
                displayName: "Anna",
                name: "anna",
                userID: Data([1])
            )
        let (ending, questions) = try await perform([registration, key])
        #expect(code(ending) == nil)
        #expect(questions.map { $0.requests.map(\.kind) } == [[.passkeyRegistration, .securityKeyRegistration]])
    }

    @Test func `a conditional registration stands alone`() async throws {
        let conditional = registration
        conditional.requestStyle = .conditional
        let (ending, questions) = try await perform([conditional, registration])
        #expect(code(ending) == .failed)
        #expect(questions.isEmpty)
    }

    @Test func `nothing to perform is refused`() async throws {
        let (ending, questions) = try await perform([])
        #expect(code(ending) == .failed)
        #expect(questions.isEmpty)
    }

    @Test(arguments: [0, 15, 1_025])
    func `a challenge that no service should make is refused`(length: Int) async throws {
        let request = platform.createCredentialAssertionRequest(challenge: Data(repeating: 7, count: length))
        let (ending, questions) = try await perform([request])
        #expect(code(ending) == .failed)
        #expect(questions.isEmpty)
    }

    @Test func `a user handle that is empty is refused`() async throws {
        let request = registration
        request.userID = Data()
        #expect(code(try await perform([request]).0) == .failed)
    }

    @Test func `a credential that must not be there ends with its own code`() async throws {
        let fixture = AppFixture()
        let first = try await perform([registration], on: fixture).0
        let made = try #require(try first.get() as? ASAuthorizationPlatformPublicKeyCredentialRegistration)
        let again = registration
        again.excludedCredentials = [.init(credentialID: made.credentialID)]
        #expect(code(try await perform([again], on: fixture).0) == .matchedExcludedCredential)
    }

    @Test func `with passkeys switched off a registration errs, and a sign-in is left out beside others`() async throws
    {
        let fixture = AppFixture()
        fixture.change {
            $0.arePasskeysOff = true
            $0.passwords = ["anna": "opensesame"]
        }
        #expect(code(try await perform([registration], on: fixture).0) == .deviceNotConfiguredForPasskeyCreation)
        let password = ASAuthorizationPasswordProvider().createRequest()
        let ending = try await perform([assertion, password], on: fixture).0
        #expect(try ending.get() is ASPasswordCredential)
    }

    @Test func `who says no cancels`() async throws {
        let fixture = AppFixture()
        fixture.change { $0.refusal = AgentError(.denied, "the person said no") }
        #expect(code(try await perform([registration], on: fixture).0) == .canceled)
    }

    @Test func `with nothing to offer it is as if the person had closed the sheet`() async throws {
        let modal = try await perform([assertion]).0
        #expect(code(modal) == .canceled)
        if case .failure(let error) = modal {
            #expect(error.userInfo[ASAuthorizationError.agentCodeKey] as? String == "nothing_available")
        }
        #expect(code(try await perform([assertion], .preferImmediatelyAvailableCredentials).0) == .canceled)
    }

    @Test func `no agent ends with a sentence that says how to start it`() async throws {
        let delegate = RecordingDelegate()
        let nowhere = AgentGateway(paths: AgentPaths(directory: NSTemporaryDirectory() + "as-nobody"))
        await AgentGateway.$local.withValue(nowhere) {
            let controller = ASAuthorizationController(authorizationRequests: [assertion])
            controller.delegate = delegate
            controller.performRequests()
            await until { !delegate.endings.isEmpty }
        }
        #expect(delegate.codes == [.notHandled])
        guard case .failure(let error) = delegate.endings[0] else { return }
        #expect(error.localizedDescription.contains("ward agent"))
        #expect((error.userInfo[NSLocalizedDescriptionKey] as? String) == error.localizedDescription)
    }

    @Test func `a second perform is refused, and the first goes on`() async throws {
        let question = Event()
        let person = Event()
        let fixture = AppFixture()
        let agent = FakeAgent { call in
            if call.method == AuthorizeApp.name {
                question.happen()
                await person.wait()
            }
            return try fixture.answer(call)
        }
        try await agent.start()
        await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            let delegate = RecordingDelegate()
            let controller = ASAuthorizationController(authorizationRequests: [registration])
            controller.delegate = delegate
            controller.performRequests()
            await question.wait()
            controller.performRequests()
            controller.performAutoFillAssistedRequests()
            await until { delegate.endings.count == 2 }
            #expect(delegate.codes == [.failed, .failed])
            person.happen()
            await until { delegate.endings.count == 3 }
            #expect(delegate.codes == [.failed, .failed, nil])
            // It is free again.
            controller.performRequests()
            await until { delegate.endings.count == 4 }
            #expect(delegate.codes.last == .some(nil))
        }
        await agent.die()
    }

    @Test func `cancelling closes the prompt`() async throws {
        let question = Event()
        let agent = FakeAgent { call in
            guard call.method == AuthorizeApp.name else { return .welcome }
            question.happen()
            try await forever()
            return .gone
        }
        try await agent.start()
        await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            let delegate = RecordingDelegate()
            let controller = ASAuthorizationController(authorizationRequests: [assertion])
            controller.delegate = delegate
            controller.performRequests()
            await question.wait()
            controller.cancel()
            controller.cancel()
            await until { !delegate.endings.isEmpty }
            await until { agent.openQuestions == 0 }
            #expect(delegate.codes == [.canceled])
        }
        await agent.die()
    }

    @Test func `a task that is cancelled gets what a controller would`() async throws {
        let question = Event()
        let agent = FakeAgent { call in
            guard call.method == AuthorizeApp.name else { return .welcome }
            question.happen()
            try await forever()
            return .gone
        }
        try await agent.start()
        await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            let task = Task {
                try await AuthorizationController().performRequest(
                    platform.createCredentialAssertionRequest(challenge: challenge)
                )
            }
            await question.wait()
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? ASAuthorizationError)?.code == .canceled }
            await until { agent.openQuestions == 0 }
        }
        await agent.die()
    }

    @Test func `nobody needs to hold a controller that performs`() async throws {
        try await AppFixture.running { _, _ in
            let delegate = RecordingDelegate()
            @MainActor func begin() {
                let controller = ASAuthorizationController(authorizationRequests: [registration])
                controller.delegate = delegate
                controller.performRequests()
            }
            begin()
            await until { !delegate.endings.isEmpty }
            #expect(delegate.codes == [nil])
        }
    }

    @Test func `an answer without a credential is an invalid response`() async throws {
        for result in [
            AuthorizeApp.Result(request: 0), AuthorizeApp.Result(request: 0, response: "{}"),
            AuthorizeApp.Result(request: 5, response: "{}"), AuthorizeApp.Result(request: -1, response: "{}"),
        ] {
            let agent = FakeAgent { $0.method == AuthorizeApp.name ? .result(result) : .welcome }
            try await agent.start()
            await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
                let delegate = RecordingDelegate()
                let controller = ASAuthorizationController(authorizationRequests: [assertion])
                controller.delegate = delegate
                controller.performRequests()
                await until { !delegate.endings.isEmpty }
                #expect(delegate.codes == [.invalidResponse])
            }
            await agent.die()
        }
    }

    @Test func `the person is verified where it is preferred, unless the app says otherwise`() async throws {
        let (_, questions) = try await perform([registration])
        let options = try #require(questions.first?.requests.first?.options)
        #expect(options.contains(#""userVerification":"preferred""#))
        #expect(options.contains(#""residentKey":"required""#))
    }
}
