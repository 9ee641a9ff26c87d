import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgentClient

@MainActor @Suite struct `Listings with async calls` {
    private let controller = AuthorizationController()

    @Test func `an account is created with address, name and passkey in one question`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, agent in
            let accounts = AccountStore(service: service)
            await accounts.createAccount(authorizationController: controller)
            #expect(accounts.contact == "anna@example.com")
            #expect(accounts.givenName == "Anna Maria")
            #expect(service.store.credentials.map { Data($0.userHandle.bytes) } == [accounts.userID])
            let request = agent.questions.first?.requests.first
            #expect(request?.kind == .accountCreation)
            #expect(request?.contacts == ["email", "phoneNumber"])
            #expect(request?.wantsName == true)
        }
    }

    @Test func `with passkeys switched off the form is shown instead`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, _ in
            fixture.change { $0.arePasskeysOff = true }
            let accounts = AccountStore(service: service)
            await accounts.createAccount(authorizationController: controller)
            #expect(accounts.isShowingForm)
            #expect(accounts.userID == nil)
        }
    }

    @Test func `a password sign-in is upgraded without a question`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, agent in
            fixture.change { $0.passwords = ["anna": "opensesame"] }
            let accounts = AccountStore(service: service)
            await accounts.signInIfPossible(authorizationController: controller)
            #expect(service.store.credentials.map { Data($0.userHandle.bytes) } == [accounts.userID])
            #expect(!accounts.isShowingUpsell)
            #expect(fixture.now.prompts == 1, "the password's, and none for the passkey")
            let upgrade = agent.questions.last
            #expect(upgrade?.requests.map(\.mediation) == [.conditional])
            #expect(upgrade?.authorization.mayPrompt == false)
        }
    }

    @Test func `what cannot be upgraded silently is offered, and then asked for`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, _ in
            let accounts = AccountStore(service: service)
            try await accounts.submit(ASPasswordCredential(user: "anna", password: "typed by hand"), controller)
            #expect(accounts.isShowingUpsell)
            #expect(fixture.now.prompts == 0)
            try await accounts.addPasskey(userName: "anna", authorizationController: controller)
            #expect(!accounts.isShowingUpsell)
            #expect(service.store.credentials.count == 1)
            #expect(fixture.now.prompts == 1)
        }
    }

    @Test func `the passkey of a new account signs in the next time`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { _, _ in
            let accounts = AccountStore(service: service)
            await accounts.createAccount(authorizationController: controller)
            let userID = try #require(accounts.userID)
            let next = AccountStore(service: service)
            await next.signInIfPossible(authorizationController: controller)
            #expect(next.userID == userID)
        }
    }

    @Test func `a text field answers who waits for it`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { _, _ in
            let accounts = AccountStore(service: service)
            await accounts.createAccount(authorizationController: controller)
            let next = AccountStore(service: service)
            let waiting = Task { try await next.autoFill(authorizationController: controller) }
            let session = try #require(LocalAutoFill.session)
            let field = Field(.username)
            session.beginEditing(field)
            var passkey: AutoFillSuggestion?
            while passkey == nil {
                passkey = try await session.suggestions().first { $0.kind == .passkey }
                await Task.yield()
            }
            #expect(try await session.accept(#require(passkey)) == .completed)
            try await waiting.value
            #expect(next.userID == accounts.userID)
        }
    }

    @Test func `managers are told what became of credentials`() async throws {
        let service = try ExampleService()
        try await AppFixture.running { fixture, _ in
            let accounts = AccountStore(service: service)
            await accounts.createAccount(authorizationController: controller)
            try await accounts.didChangeUserName(to: "anna.m", passkeys: [Data([1, 2, 3])])
            try await accounts.didFailToFind(Data([4, 5, 6]))
            let kinds: [SignalFromApp.Kind] = [
                .currentUserDetails, .allAcceptedCredentials, .unusedPassword, .unknownCredential,
            ]
            #expect(fixture.now.signals.map(\.kind) == kinds)
            #expect(fixture.now.signals[2].options == #"{"rpId":"example.com","name":"anna.m"}"#)
            #expect(fixture.now.signals[3].options == #"{"rpId":"example.com","credentialId":"BAUG"}"#)
        }
    }
}
