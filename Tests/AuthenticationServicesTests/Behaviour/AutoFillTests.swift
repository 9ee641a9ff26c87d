import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgentClient

@MainActor @Suite struct `Text fields` {
    private let challenge = Data(repeating: 7, count: 32)
    private let platform = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")

    /// A fixture with a passkey and a password.
    private func withFixture(_ body: (AppFixture, FakeAgent, AutoFillSession) async throws -> Void) async throws {
        try await AppFixture.running { fixture, agent in
            fixture.change { $0.passwords = ["anna": "opensesame"] }
            _ = try await AuthorizationController().performRequest(
                platform.createCredentialRegistrationRequest(challenge: challenge, name: "anna", userID: Data([1]))
            )
            try await body(fixture, agent, #require(LocalAutoFill.session))
        }
    }

    private func wait(
        for requests: [ASAuthorizationRequest],
        _ session: AutoFillSession
    ) async -> (ASAuthorizationController, RecordingDelegate) {
        let delegate = RecordingDelegate()
        let controller = ASAuthorizationController(authorizationRequests: requests)
        controller.delegate = delegate
        let waits = Event()
        session.onChange = { waits.happen() }
        controller.performAutoFillAssistedRequests()
        await waits.wait()
        return (controller, delegate)
    }

    private var passkey: ASAuthorizationRequest { platform.createCredentialAssertionRequest(challenge: challenge) }
    private var password: ASAuthorizationRequest { ASAuthorizationPasswordProvider().createRequest() }

    @Test func `a password fills the user name and its own field`() async throws {
        try await withFixture { _, _, session in
            let (name, secret) = (Field(.username), Field(.password))
            session.beginEditing(name, in: [name, secret])
            let suggestion = try #require(try await session.suggestions().first { $0.kind == .password })
            #expect(suggestion.user == "anna")
            #expect(try await session.accept(suggestion) == .filled)
            #expect(name.text == "anna")
            #expect(secret.text == "opensesame")
        }
    }

    @Test func `a code and a new password fill their fields alone`() async throws {
        try await withFixture { _, _, session in
            let (code, made, other) = (Field(.oneTimeCode), Field(.newPassword), Field(nil))
            session.beginEditing(code, in: [other])
            let first = try #require(try await session.suggestions().first)
            #expect(first.kind == .oneTimeCode)
            _ = try await session.accept(first)
            session.beginEditing(made, in: [code, other])
            let second = try #require(try await session.suggestions().first)
            #expect(second.kind == .newPassword)
            _ = try await session.accept(second)
            #expect([code.text, made.text, other.text] == ["287082", "correct-horse-7", ""])
        }
    }

    @Test func `what a slow manager has joins later, and is asked for once`() async throws {
        try await withFixture { fixture, agent, session in
            fixture.change { $0.isSlow = true }
            let field = Field(.username)
            session.beginEditing(field)
            let joined = Event()
            session.onChange = { joined.happen() }
            let first = try await session.suggestions()
            await joined.wait()
            let second = try await session.suggestions()
            #expect(first.isEmpty && second.map(\.kind) == [.password])
            // The field is left, and what came for it is forgotten.
            session.endEditing(field)
            session.beginEditing(field)
            let third = try await session.suggestions()
            #expect(third.isEmpty)
        }
    }

    @Test(arguments: [TextContentType.password, .oneTimeCode, .newPassword, nil])
    func `only a field for user names answers what waits`(type: TextContentType?) async throws {
        try await withFixture { _, agent, session in
            let (controller, delegate) = await wait(for: [passkey], session)
            let field = Field(type)
            session.beginEditing(field)
            let suggestions = try await session.suggestions()
            #expect(suggestions.allSatisfy { $0.kind != .passkey })
            #expect(suggestions.isEmpty == (type == nil))
            controller.cancel()
            await until { !delegate.endings.isEmpty }
            #expect(delegate.codes == [.canceled])
        }
    }

    @Test func `a password that was asked for answers the request instead of the field`() async throws {
        try await withFixture { _, _, session in
            let (_, delegate) = await wait(for: [passkey, password], session)
            let name = Field(.username)
            session.beginEditing(name)
            let suggestion = try #require(try await session.suggestions().first { $0.kind == .password })
            #expect(try await session.accept(suggestion) == .completed)
            await until { !delegate.endings.isEmpty }
            #expect(try delegate.endings[0].get() is ASPasswordCredential)
            #expect(name.text.isEmpty)
        }
    }

    @Test func `who closes the prompt may pick again`() async throws {
        try await withFixture { fixture, _, session in
            let (_, delegate) = await wait(for: [passkey], session)
            let field = Field(.username)
            session.beginEditing(field)
            let suggestion = try #require(try await session.suggestions().first { $0.kind == .passkey })
            fixture.change { $0.refusal = AgentError(.denied, "no") }
            await #expect { try await session.accept(suggestion) } throws: {
                ($0 as? ASAuthorizationError)?.code == .canceled
            }
            #expect(delegate.endings.isEmpty)
            fixture.change { $0.refusal = nil }
            #expect(try await session.accept(suggestion) == .completed)
            await until { !delegate.endings.isEmpty }
            #expect(delegate.codes == [nil])
        }
    }

    @Test func `an agent that dies after the pick ends what waits`() async throws {
        try await withFixture { fixture, agent, session in
            let (_, delegate) = await wait(for: [passkey], session)
            let field = Field(.username)
            session.beginEditing(field)
            let suggestion = try #require(try await session.suggestions().first { $0.kind == .passkey })
            await agent.die()
            await #expect { try await session.accept(suggestion) } throws: {
                ($0 as? ASAuthorizationError)?.code == .notHandled
            }
            await until { !delegate.endings.isEmpty }
            #expect(delegate.codes == [.notHandled])
        }
    }

    @Test func `cancelling what waits closes the prompt of the pick`() async throws {
        let asked = Event()
        let fixture = AppFixture()
        fixture.change { $0.passwords = ["anna": "opensesame"] }
        let agent = FakeAgent { call in
            if call.method == AuthorizeApp.name {
                asked.happen()
                try await forever()
            }
            return try fixture.answer(call)
        }
        try await agent.start()
        let session = AutoFillSession()
        try await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            try await LocalAutoFill.$session.withValue(session) {
                let (controller, delegate) = await wait(for: [password], session)
                let field = Field(.username)
                session.beginEditing(field)
                let suggestion = try #require(try await session.suggestions().first)
                let pick = Task { try await session.accept(suggestion) }
                await asked.wait()
                controller.cancel()
                await #expect { try await pick.value } throws: { ($0 as? ASAuthorizationError)?.code == .canceled }
                await until { agent.openQuestions == 0 && !delegate.endings.isEmpty }
                #expect(delegate.codes == [.canceled])
            }
        }
        await agent.die()
    }

    @Test func `what is locked offers to be opened`() async throws {
        try await withFixture { fixture, agent, session in
            fixture.change { $0.isLocked = true }
            let field = Field(.password)
            session.beginEditing(field)
            let suggestion = try #require(try await session.suggestions().first)
            #expect(suggestion.kind == .unlock)
            #expect(try await session.accept(suggestion) == .unlocked)
            #expect(try await session.suggestions().map(\.kind) == [.password])
        }
    }

    @Test func `a field that is not edited any more is not filled from`() async throws {
        try await withFixture { _, agent, session in
            let field = Field(.password)
            session.beginEditing(field)
            session.endEditing(Field(.password))
            #expect(session.field === field, "another field's end is not this one's")
            session.endEditing(field)
            let suggestions = try await session.suggestions()
            #expect(suggestions.isEmpty)
        }
    }

    @Test func `a registration cannot wait for a text field`() async throws {
        try await withFixture { _, _, _ in
            let delegate = RecordingDelegate()
            let request = platform.createCredentialRegistrationRequest(
                challenge: challenge,
                name: "anna",
                userID: Data([1])
            )
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = delegate
            controller.performAutoFillAssistedRequests()
            await until { !delegate.endings.isEmpty }
            #expect(delegate.codes == [.failed])
        }
    }
}
