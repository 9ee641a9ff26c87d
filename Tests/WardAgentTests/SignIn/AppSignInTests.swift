import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardRelyingParty
import WardText
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `The sign-in sheet of apps` {
    private func makeFixture() async throws -> SignInFixture {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        return fixture
    }

    // MARK: Passkeys

    @Test func `a passkey is made and used, and its service takes both`() async throws {
        let fixture = try await makeFixture()
        let record = try await fixture.register()
        let (request, ceremony) = fixture.assertion(.required)
        fixture.person.will(SignInFixture.typed)
        let result = try await fixture.ask(request)
        #expect(result.request == 0 && result.password == nil && result.user == nil)
        try fixture.verify(result, ceremony, record)
        for prompt in fixture.person.asked {
            #expect(prompt.text.contains("Asked by Shiny (org.example.Shiny), program \"/usr/bin/shiny\"."))
            #expect(prompt.text.contains("example.com") && prompt.text.contains("ada"))
            #expect(prompt.kind == .secret(label: "Passphrase"))
        }
        #expect(fixture.person.asked.count == 2)
        try await fixture.close()
    }

    @Test func `the origin is the domain's, and for localhost the one that the app says it serves`() async throws {
        let fixture = try await makeFixture()
        fixture.becomes(SignInFixture.app("Draft", kind: .unknown))
        let service = try RelyingParty(
            id: "localhost",
            name: "Draft",
            origins: ["http://localhost:8080", "https://localhost"]
        )
        for origin in [nil, "http://localhost:8080"] {
            let (options, ceremony) = service.registrationOptions(for: SignInFixture.user("ada-\(origin ?? "")"))
            var request = AppRequest(.passkeyRegistration, domain: "localhost")
            request.options = String(decoding: options.value.serialized, as: UTF8.self)
            request.origin = origin
            fixture.person.will(SignInFixture.typed)
            let result = try await fixture.ask(request)
            let response = try RegistrationResponse(json: Array((result.response ?? "").utf8))
            _ = try service.verify(response, for: ceremony)
            let client = String(decoding: response.clientDataJSON, as: UTF8.self)
            #expect(client.contains("\"origin\":\"\(origin ?? "https://localhost")\""))
        }
        let text = try #require(fixture.person.asked.last?.text)
        #expect(text.contains("Nobody vouches"))
        var (request, _) = fixture.registration()
        fixture.becomes(SignInFixture.app("Shiny"))
        request.origin = "http://localhost:8080"
        await #expect(throws: AgentError(.invalidValue, "")) { try await fixture.ask(request) }
        request.origin = "https://evil.example"
        await #expect(throws: AgentError(.invalidValue, "")) { try await fixture.ask(request) }
        try await fixture.close()
    }

    @Test func `an account from elsewhere is the last line, and all there is where nothing else is`() async throws {
        let fixture = try await makeFixture()
        let (request, _) = fixture.assertion()
        let elsewhere = AppRequest(.otherAccount)
        #expect(try await fixture.ask(elsewhere, request).request == 0)
        #expect(fixture.person.asked.isEmpty)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(elsewhere, request, immediately: true)
        }
        _ = try await fixture.register()
        fixture.person.will(.other, .agreed)
        let result = try await fixture.ask(elsewhere, request)
        #expect(result.request == 0 && result.response == nil)
        #expect(fixture.person.asked.suffix(2).map { $0.text.contains("of another service") } == [false, true])
        let (registration, _) = fixture.registration()
        await #expect(throws: AgentError(.invalidCombination, "")) { try await fixture.ask(elsewhere, registration) }
        try await fixture.close()
    }

    @Test func `options for another RP ID than the one that was checked are refused`() async throws {
        let fixture = try await makeFixture()
        var (request, _) = fixture.assertion()
        request.domain = "example.org"
        await #expect(throws: AgentError(.invalidRequest, "")) { try await fixture.ask(request) }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `an excluded passkey is told of only after the person agreed`() async throws {
        let fixture = try await makeFixture()
        let record = try await fixture.register()
        let (request, _) = fixture.registration("bob", excluding: [record.descriptor])
        fixture.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(request) }
        fixture.waitAfterNo()
        fixture.person.will(SignInFixture.typed)
        await #expect(throws: AgentError(.matchedExcluded, "")) { try await fixture.ask(request) }
        try await fixture.close()
    }

    @Test func `an allow list leaves out what it does not name`() async throws {
        let fixture = try await makeFixture()
        let ada = try await fixture.register("ada")
        let bob = try await fixture.register("bob")
        let (request, ceremony) = fixture.assertion(allowing: [bob.descriptor])
        fixture.person.will(SignInFixture.typed)
        try fixture.verify(try await fixture.ask(request), ceremony, bob)
        let strange = PublicKeyCredentialDescriptor(id: CredentialID([1, 2, 3])!)
        let (none, _) = fixture.assertion(allowing: [strange])
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(none) }
        _ = ada
        try await fixture.close()
    }

    // MARK: Who may ask

    @Test(arguments: [AppRequest.Kind.password, .oneTimeCode, .newPassword])
    func `an app gets nothing for a domain that does not name it`(kind: AppRequest.Kind) async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        fixture.becomes(SignInFixture.app("Grabby"))
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await fixture.ask(AppRequest(kind, domain: SignInFixture.domain))
        }
        fixture.becomes(SignInFixture.app("Nobody", kind: .unknown))
        await #expect(throws: AgentError(.appUnknown, "")) {
            try await fixture.ask(AppRequest(kind, domain: SignInFixture.domain))
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `neither does it get a passkey, nor a suggestion`() async throws {
        let fixture = try await makeFixture()
        _ = try await fixture.register()
        let asked = fixture.person.asked.count
        fixture.becomes(SignInFixture.app("Grabby"))
        for request in [fixture.assertion().request, fixture.registration().request] {
            await #expect(throws: AgentError(.notAssociated, "")) { try await fixture.ask(request) }
            await #expect(throws: AgentError(.notAssociated, "")) {
                try await fixture.call(SuggestForApp(requests: [request]))
            }
        }
        #expect(fixture.person.asked.count == asked)
        try await fixture.close()
    }

    @Test func `a registered app hears why none of its domains may be used`() async throws {
        let fixture = try await makeFixture()
        var app = SignInFixture.app("Shiny")
        app.domains = ["example.net"]
        fixture.becomes(app)
        let error = await #expect(throws: AgentError.self) { try await fixture.ask(AppRequest(.password)) }
        #expect(error?.code == .notAssociated && error?.message == "there is no list")
        try await fixture.close()
    }

    @Test func `a vault that is not in use is not opened for an app`() async throws {
        let fixture = try await makeFixture()
        try await fixture.lock()
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.call(UnlockForApp()) }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `one domain of another app among its own spoils the sheet`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await fixture.ask(
                AppRequest(.password, domain: SignInFixture.domain),
                AppRequest(.password, domain: "example.net")
            )
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    // MARK: Passwords and codes

    @Test func `a password is handed out after a confirmation that names app, domain and account`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada", "hunter2")
        let request = AppRequest(.password, domain: SignInFixture.domain)
        fixture.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(request) }
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        let result = try await fixture.ask(request)
        #expect(result.user == "ada" && result.password == "hunter2" && result.response == nil)
        let prompt = try #require(fixture.person.asked.last)
        #expect(prompt.kind == .confirmation)
        for word in ["Shiny", "example.com", "ada", "Ward"] { #expect(prompt.text.contains(word)) }
        #expect(!prompt.text.contains("hunter2"))
        try await fixture.close()
    }

    @Test func `passwords of hosts above, beside and unlike the domain stay where they are`() async throws {
        let fixture = try await makeFixture()
        for site in ["https://example.net", "https://notexample.com", "https://com", "https://example.com.evil.test"] {
            try await fixture.keep("ada", at: site)
        }
        let request = AppRequest(.password, domain: SignInFixture.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(request) }
        // The owner of a domain may not own its parent domain or a sibling.
        try await fixture.keep("eve", at: "https://bank.example.com")
        try await fixture.keep("ada", at: "https://example.com")
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(AppRequest(.password, domain: "shop.example.com"))
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a password of a host below the domain is the domain's`() async throws {
        let fixture = try await makeFixture()
        let request = AppRequest(.password, domain: SignInFixture.domain)
        try await fixture.keep("bob", "b", at: "https://login.example.com")
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(request).user == "bob")
        try await fixture.close()
    }

    @Test func `a code is handed out after a confirmation`() async throws {
        let fixture = try await makeFixture()
        var change = ItemChange()
        change.title = "Example"
        change.username = "ada"
        change.addSites = ["https://example.com"]
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        _ = try await fixture.call(AddItem(authorization: SignInFixture.quiet, change: change))
        fixture.person.will(.agreed)
        let result = try await fixture.ask(AppRequest(.oneTimeCode, domain: SignInFixture.domain))
        #expect(result.code?.count == 6 && result.code?.allSatisfy(\.isNumber) == true)
        await #expect(throws: AgentError(.denied, "")) {
            try await fixture.ask(AppRequest(.oneTimeCode, domain: SignInFixture.domain))
        }
        try await fixture.close()
    }

    // MARK: One sheet

    @Test func `several kinds make one sheet, passkeys first, and the answer says which it answers`() async throws {
        let fixture = try await makeFixture()
        let record = try await fixture.register()
        try await fixture.keep("bob")
        let before = fixture.person.asked.count
        let (request, ceremony) = fixture.assertion()
        let password = AppRequest(.password, domain: SignInFixture.domain)
        fixture.person.will(.agreed, SignInFixture.typed)
        let first = try await fixture.ask(
            password,
            AppRequest(.securityKeyAssertion, domain: SignInFixture.domain),
            request
        )
        #expect(first.request == 2)
        try fixture.verify(first, ceremony, record)
        fixture.person.will(.other, .agreed)
        let second = try await fixture.ask(request, password)
        #expect(second.request == 1 && second.user == "bob" && second.response == nil)
        // Ada has a passkey alone; bob's password is the second line of the same sheet.
        let texts = fixture.person.asked.dropFirst(before).map(\.text)
        #expect(texts[0].contains("ada, with the passkey") && texts[0].contains("(1 of 2)"))
        #expect(
            texts[2].contains("ada") && texts[3].contains("bob, with the password") && texts[3].contains("(2 of 2)")
        )
        #expect(texts.count == 4)
        try await fixture.close()
    }

    @Test(arguments: [
        [AppRequest.Kind.passkeyRegistration, .password], [.passkeyAssertion, .passkeyRegistration],
        [.securityKeyRegistration, .password], [.accountCreation, .oneTimeCode], [.newPassword, .password],
    ])
    func `a registration cannot be combined with sign-in requests`(kinds: [AppRequest.Kind]) async throws {
        let fixture = try await makeFixture()
        await #expect(throws: AgentError(.invalidCombination, "")) {
            try await fixture.call(AuthorizeApp(requests: kinds.map { AppRequest($0, domain: SignInFixture.domain) }))
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a conditional registration goes with nothing else, and nothing else is conditional`() async throws {
        let fixture = try await makeFixture()
        let silent = fixture.registration(isConditional: true).request
        await #expect(throws: AgentError(.invalidCombination, "")) {
            try await fixture.ask(silent, fixture.registration().request)
        }
        var request = AppRequest(.password, domain: SignInFixture.domain)
        request.mediation = .conditional
        await #expect(throws: AgentError(.invalidCombination, "")) { try await fixture.ask(request) }
        request.mediation = nil
        for requests in [[], [AppRequest](repeating: request, count: 17)] {
            await #expect(throws: AgentError(.invalidRequest, "")) {
                try await fixture.call(AuthorizeApp(requests: requests))
            }
        }
        try await fixture.close()
    }

    @Test func `security keys are left out beside other kinds, and alone there is nothing`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        let key = AppRequest(.securityKeyAssertion, domain: SignInFixture.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(key) }
        #expect(fixture.person.asked.isEmpty)
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(key, AppRequest(.password, domain: SignInFixture.domain)).request == 1)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(AppRequest(.init(rawValue: "telepathy"), domain: SignInFixture.domain))
        }
        try await fixture.close()
    }

    // MARK: Nothing there, and nobody asked

    @Test func `with nothing there it ends at once and nothing is shown`() async throws {
        let fixture = try await makeFixture()
        for immediately in [true, false] {
            await #expect(throws: AgentError(.nothingAvailable, "")) {
                try await fixture.ask(
                    fixture.assertion().request,
                    AppRequest(.password, domain: SignInFixture.domain),
                    immediately: immediately
                )
            }
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a locked vault is opened for an app that asks openly`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fixture.lock()
        fixture.person.will(SignInFixture.typed, .agreed)
        #expect(try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain)).user == "ada")
        #expect(fixture.person.asked.first?.text.contains("Asked by Shiny (org.example.Shiny), program ") == true)
        #expect(fixture.person.asked.first?.text.contains("sign in to example.com") == true)
        try await fixture.close()
    }

    @Test func `an app that wants only what is here has a locked vault opened if it had something before`() async throws
    {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fixture.lock()
        let request = AppRequest(.password, domain: SignInFixture.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(request, immediately: true) }
        #expect(fixture.person.asked.isEmpty)
        fixture.person.will(SignInFixture.typed, .agreed)
        _ = try await fixture.ask(request)
        try await fixture.lock()
        fixture.person.will(SignInFixture.typed, .agreed)
        #expect(try await fixture.ask(request, immediately: true).user == "ada")
        // What is known of one domain says nothing of another.
        try await fixture.lock()
        let asked = fixture.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(AppRequest(.password, domain: "example.org"), immediately: true)
        }
        #expect(fixture.person.asked.count == asked)
        try await fixture.close()
    }

    @Test func `without leave to prompt nothing is shown and nothing handed out`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        for request in [
            AppRequest(.password, domain: SignInFixture.domain), fixture.assertion().request,
            fixture.registration().request,
        ] {
            await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(request, quiet: true) }
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a prompt is withdrawn when the app goes away`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        fixture.person.takes(.seconds(600))
        let app = Task { try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain)) }
        while fixture.person.asked.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        app.cancel()
        _ = await app.result
        fixture.person.takes(.zero)
        // The next prompt waits for the one before: it comes only because that one is gone.
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain)).user == "ada")
        try await fixture.close()
    }
}
