import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgentClient

@MainActor @Suite struct `Listings with a delegate` {
    private let anchor = ASPresentationAnchor()

    /// A manager whose person has a passkey.
    private func withPasskey(
        _ body: (SignInManager, ExampleService, AppFixture, FakeAgent, Data) async throws -> Void
    ) async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, agent in
            let manager = SignInManager(service: service)
            let userID = service.newUserID()
            try await manager.signUp(userName: "anna", userID: userID, anchor: anchor)
            await until { manager.signedInUser != nil }
            #expect(service.store.credentials.map(\.userHandle.bytes) == [Array(userID)])
            manager.signedInUser = nil
            try await body(manager, service, fixture, agent, userID)
        }
    }

    @Test func `an account is created with a passkey`() async throws {
        try await withPasskey { manager, service, fixture, agent, _ in
            #expect(manager.completions == 1)
            #expect(!manager.isPerformingModalRequest)
            #expect(agent.questions.map { $0.requests.map(\.kind) } == [[.passkeyRegistration]])
            #expect(fixture.now.authenticator.credentials.map(\.user.name) == ["anna"])
        }
    }

    @Test func `a passkey and passwords share one sheet, and the passkey signs in`() async throws {
        try await withPasskey { manager, _, _, agent, userID in
            try await manager.signIn(anchor: anchor, preferImmediatelyAvailableCredentials: false)
            await until { manager.signedInUser != nil }
            #expect(manager.signedInUser == userID)
            #expect(agent.questions.last?.requests.map(\.kind) == [.passkeyAssertion, .password])
        }
    }

    @Test func `the password of the same sheet goes to the form`() async throws {
        try await withPasskey { manager, _, fixture, _, _ in
            fixture.change {
                $0.passwords = ["anna": "opensesame"]
                $0.choice = .password
            }
            try await manager.signIn(anchor: anchor, preferImmediatelyAvailableCredentials: false)
            await until { manager.passwordToSubmit != nil }
            #expect(manager.passwordToSubmit?.user == "anna")
            #expect(manager.passwordToSubmit?.password == "opensesame")
        }
    }

    @Test func `an allow list goes to the agent as it is`() async throws {
        try await withPasskey { manager, service, _, agent, userID in
            let ids = service.store.credentials.map { Data($0.id.bytes) }
            try await manager.signIn(allowing: ids, anchor: anchor)
            await until { manager.signedInUser != nil }
            #expect(manager.signedInUser == userID)
            let options = agent.questions.last?.requests.first?.options ?? ""
            #expect(options.contains(service.store.credentials[0].id.base64URL))
        }
    }

    @Test func `with nothing here the app falls back to its form, and nothing was shown`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, agent in
            let manager = SignInManager(service: service)
            try await manager.signIn(anchor: anchor, preferImmediatelyAvailableCredentials: true)
            await until { manager.completions == 1 }
            #expect(manager.isShowingForm)
            #expect(manager.failure?.code == .canceled)
            #expect(fixture.now.prompts == 0)
            #expect(agent.questions.map(\.prefersImmediatelyAvailable) == [true])
        }
    }

    @Test func `everything at once is one sheet, with what is there`() async throws {
        try await withPasskey { manager, _, fixture, agent, userID in
            fixture.change { $0.choice = .passkeyAssertion }
            try await manager.signInWithAnything()
            await until { manager.signedInUser != nil }
            #expect(manager.signedInUser == userID)
            // No issuer is configured, so accounts from elsewhere are left out.
            #expect(
                agent.questions.last?.requests.map(\.kind) == [.passkeyAssertion, .securityKeyAssertion, .password]
            )
        }
    }

    @Test func `a passkey from a text field signs in`() async throws {
        try await withPasskey { manager, _, fixture, agent, userID in
            let before = fixture.now.prompts
            try await manager.beginAutoFillAssistedPasskeySignIn(anchor: anchor)
            let session = try #require(LocalAutoFill.session)
            let field = Field(.username)
            session.beginEditing(field)
            var passkey: AutoFillSuggestion?
            while passkey == nil {
                passkey = try await session.suggestions().first { $0.kind == .passkey }
                await Task.yield()
            }
            #expect(fixture.now.prompts == before, "nothing is shown before the pick")
            #expect(try await session.accept(#require(passkey)) == .completed)
            await until { manager.signedInUser != nil }
            #expect(manager.signedInUser == userID)
            #expect(agent.questions.last?.suggestion == passkey?.id)
        }
    }

    @Test func `a view that goes takes its request along`() async throws {
        try await withPasskey { manager, _, _, agent, _ in
            let asked = agent.questions.count
            try await manager.beginAutoFillAssistedPasskeySignIn(anchor: anchor)
            manager.viewWillDisappear()
            await until { manager.completions == 2 }
            #expect(manager.failure?.code == .canceled)
            #expect(!manager.isShowingForm, "no sheet was open")
            #expect(agent.questions.count == asked)
        }
    }
}
