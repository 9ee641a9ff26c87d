import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardRelyingParty
import WardWebAuthn

@Suite(.timeLimit(.minutes(15))) struct `The sign-in sheet of apps` {
    private func shop() async throws -> Shop {
        let shop = try await Shop()
        try await shop.office.create()
        return shop
    }

    // MARK: Passkeys

    @Test func `a passkey is made and used, and its service takes both`() async throws {
        let shop = try await shop()
        let record = try await shop.register()
        let (request, ceremony) = shop.assertion(.required)
        shop.person.will(Shop.typed)
        let result = try await shop.ask(request)
        #expect(result.request == 0 && result.password == nil && result.user == nil)
        try shop.verify(result, ceremony, record)
        for prompt in shop.person.asked {
            #expect(prompt.text.contains("Asked by Shiny (org.example.Shiny), program \"/usr/bin/shiny\"."))
            #expect(prompt.text.contains("example.com") && prompt.text.contains("ada"))
            #expect(prompt.kind == .secret(label: "Passphrase"))
        }
        #expect(shop.person.asked.count == 2)
        try await shop.close()
    }

    @Test func `the origin is the domain's, and for localhost the one that the app says it serves`() async throws {
        let shop = try await shop()
        shop.becomes(Shop.app("Draft", kind: .unknown))
        let service = try RelyingParty(
            id: "localhost",
            name: "Draft",
            origins: ["http://localhost:8080", "https://localhost"]
        )
        for origin in [nil, "http://localhost:8080"] {
            let (options, ceremony) = service.registrationOptions(for: Shop.user("ada-\(origin ?? "")"))
            var request = AppRequest(.passkeyRegistration, domain: "localhost")
            request.options = String(decoding: options.value.serialized, as: UTF8.self)
            request.origin = origin
            shop.person.will(Shop.typed)
            let result = try await shop.ask(request)
            let response = try RegistrationResponse(json: Array((result.response ?? "").utf8))
            _ = try service.verify(response, for: ceremony)
            let client = String(decoding: response.clientDataJSON, as: UTF8.self)
            #expect(client.contains("\"origin\":\"\(origin ?? "https://localhost")\""))
        }
        let text = try #require(shop.person.asked.last?.text)
        #expect(text.contains("Nobody vouches"))
        var (request, _) = shop.registration()
        shop.becomes(Shop.app("Shiny"))
        request.origin = "http://localhost:8080"
        await #expect(throws: AgentError(.invalidValue, "")) { try await shop.ask(request) }
        request.origin = "https://evil.example"
        await #expect(throws: AgentError(.invalidValue, "")) { try await shop.ask(request) }
        try await shop.close()
    }

    @Test func `an account from elsewhere is the last line, and all there is where nothing else is`() async throws {
        let shop = try await shop()
        let (request, _) = shop.assertion()
        let elsewhere = AppRequest(.otherAccount)
        #expect(try await shop.ask(elsewhere, request).request == 0)
        #expect(shop.person.asked.isEmpty)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(elsewhere, request, immediately: true)
        }
        _ = try await shop.register()
        shop.person.will(.other, .agreed)
        let result = try await shop.ask(elsewhere, request)
        #expect(result.request == 0 && result.response == nil)
        #expect(shop.person.asked.suffix(2).map { $0.text.contains("from elsewhere") } == [false, true])
        let (registration, _) = shop.registration()
        await #expect(throws: AgentError(.invalidCombination, "")) { try await shop.ask(elsewhere, registration) }
        try await shop.close()
    }

    @Test func `options for another RP ID than the one that was checked are refused`() async throws {
        let shop = try await shop()
        var (request, _) = shop.assertion()
        request.domain = "example.org"
        await #expect(throws: AgentError(.invalidRequest, "")) { try await shop.ask(request) }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `an excluded passkey is told of only after the person agreed`() async throws {
        let shop = try await shop()
        let record = try await shop.register()
        let (request, _) = shop.registration("bob", excluding: [record.descriptor])
        shop.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await shop.ask(request) }
        shop.waitAfterNo()
        shop.person.will(Shop.typed)
        await #expect(throws: AgentError(.matchedExcluded, "")) { try await shop.ask(request) }
        try await shop.close()
    }

    @Test func `an allow list leaves out what it does not name`() async throws {
        let shop = try await shop()
        let ada = try await shop.register("ada")
        let bob = try await shop.register("bob")
        let (request, ceremony) = shop.assertion(allowing: [bob.descriptor])
        shop.person.will(Shop.typed)
        try shop.verify(try await shop.ask(request), ceremony, bob)
        let strange = PublicKeyCredentialDescriptor(id: CredentialID([1, 2, 3])!)
        let (none, _) = shop.assertion(allowing: [strange])
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(none) }
        _ = ada
        try await shop.close()
    }

    // MARK: Who may ask

    @Test(arguments: [AppRequest.Kind.password, .oneTimeCode, .newPassword])
    func `an app gets nothing for a domain that does not name it`(kind: AppRequest.Kind) async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        shop.becomes(Shop.app("Grabby"))
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await shop.ask(AppRequest(kind, domain: Shop.domain))
        }
        shop.becomes(Shop.app("Nobody", kind: .unknown))
        await #expect(throws: AgentError(.appUnknown, "")) { try await shop.ask(AppRequest(kind, domain: Shop.domain)) }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `neither does it get a passkey, nor a suggestion`() async throws {
        let shop = try await shop()
        _ = try await shop.register()
        let asked = shop.person.asked.count
        shop.becomes(Shop.app("Grabby"))
        for request in [shop.assertion().request, shop.registration().request] {
            await #expect(throws: AgentError(.notAssociated, "")) { try await shop.ask(request) }
            await #expect(throws: AgentError(.notAssociated, "")) {
                try await shop.call(SuggestForApp(requests: [request]))
            }
        }
        #expect(shop.person.asked.count == asked)
        try await shop.close()
    }

    @Test func `one domain of another app among its own spoils the sheet`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await shop.ask(
                AppRequest(.password, domain: Shop.domain),
                AppRequest(.password, domain: "example.net")
            )
        }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    // MARK: Passwords and codes

    @Test func `a password is handed out after a confirmation that names app, domain and account`() async throws {
        let shop = try await shop()
        try await shop.keep("ada", "hunter2")
        let request = AppRequest(.password, domain: Shop.domain)
        shop.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await shop.ask(request) }
        shop.waitAfterNo()
        shop.person.will(.agreed)
        let result = try await shop.ask(request)
        #expect(result.user == "ada" && result.password == "hunter2" && result.response == nil)
        let prompt = try #require(shop.person.asked.last)
        #expect(prompt.kind == .confirmation)
        for word in ["Shiny", "example.com", "ada", "Ward"] { #expect(prompt.text.contains(word)) }
        #expect(!prompt.text.contains("hunter2"))
        try await shop.close()
    }

    @Test func `passwords of hosts above, beside and unlike the domain stay where they are`() async throws {
        let shop = try await shop()
        for site in ["https://example.net", "https://notexample.com", "https://com", "https://example.com.evil.test"] {
            try await shop.keep("ada", at: site)
        }
        let request = AppRequest(.password, domain: Shop.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(request) }
        // A domain need not belong to whoever has the one above it, nor to whoever has the one beside it.
        try await shop.keep("eve", at: "https://bank.example.com")
        try await shop.keep("ada", at: "https://example.com")
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(AppRequest(.password, domain: "shop.example.com"))
        }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `a password of a host below the domain is the domain's`() async throws {
        let shop = try await shop()
        let request = AppRequest(.password, domain: Shop.domain)
        try await shop.keep("bob", "b", at: "https://login.example.com")
        shop.person.will(.agreed)
        #expect(try await shop.ask(request).user == "bob")
        try await shop.close()
    }

    @Test func `a code is handed out after a confirmation`() async throws {
        let shop = try await shop()
        var change = ItemChange()
        change.title = "Example"
        change.username = "ada"
        change.addSites = ["https://example.com"]
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        _ = try await shop.call(AddItem(authorization: Shop.quiet, change: change))
        shop.person.will(.agreed)
        let result = try await shop.ask(AppRequest(.oneTimeCode, domain: Shop.domain))
        #expect(result.code?.count == 6 && result.code?.allSatisfy(\.isNumber) == true)
        await #expect(throws: AgentError(.denied, "")) {
            try await shop.ask(AppRequest(.oneTimeCode, domain: Shop.domain))
        }
        try await shop.close()
    }

    // MARK: One sheet

    @Test func `several kinds make one sheet, passkeys first, and the answer says which it answers`() async throws {
        let shop = try await shop()
        let record = try await shop.register()
        try await shop.keep("bob")
        let before = shop.person.asked.count
        let (request, ceremony) = shop.assertion()
        let password = AppRequest(.password, domain: Shop.domain)
        shop.person.will(.agreed, Shop.typed)
        let first = try await shop.ask(password, AppRequest(.securityKeyAssertion, domain: Shop.domain), request)
        #expect(first.request == 2)
        try shop.verify(first, ceremony, record)
        shop.person.will(.other, .agreed)
        let second = try await shop.ask(request, password)
        #expect(second.request == 1 && second.user == "bob" && second.response == nil)
        // Ada has a passkey alone; bob's password is the second line of the same sheet.
        let texts = shop.person.asked.dropFirst(before).map(\.text)
        #expect(texts[0].contains("ada, with the passkey") && texts[0].contains("(1 of 2)"))
        #expect(
            texts[2].contains("ada") && texts[3].contains("bob, with the password") && texts[3].contains("(2 of 2)")
        )
        #expect(texts.count == 4)
        try await shop.close()
    }

    @Test(arguments: [
        [AppRequest.Kind.passkeyRegistration, .password], [.passkeyAssertion, .passkeyRegistration],
        [.securityKeyRegistration, .password], [.accountCreation, .oneTimeCode], [.newPassword, .password],
    ])
    func `a registration cannot be mixed with what is none`(kinds: [AppRequest.Kind]) async throws {
        let shop = try await shop()
        await #expect(throws: AgentError(.invalidCombination, "")) {
            try await shop.call(AuthorizeApp(requests: kinds.map { AppRequest($0, domain: Shop.domain) }))
        }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `a conditional registration goes with nothing else, and nothing else is conditional`() async throws {
        let shop = try await shop()
        let silent = shop.registration(isConditional: true).request
        await #expect(throws: AgentError(.invalidCombination, "")) {
            try await shop.ask(silent, shop.registration().request)
        }
        var request = AppRequest(.password, domain: Shop.domain)
        request.mediation = "conditional"
        await #expect(throws: AgentError(.invalidCombination, "")) { try await shop.ask(request) }
        request.mediation = "sideways"
        await #expect(throws: AgentError(.invalidValue, "")) { try await shop.ask(request) }
        await #expect(throws: AgentError(.invalidRequest, "")) { try await shop.call(AuthorizeApp(requests: [])) }
        try await shop.close()
    }

    @Test func `security keys are left out beside other kinds, and alone there is nothing`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        let key = AppRequest(.securityKeyAssertion, domain: Shop.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(key) }
        #expect(shop.person.asked.isEmpty)
        shop.person.will(.agreed)
        #expect(try await shop.ask(key, AppRequest(.password, domain: Shop.domain)).request == 1)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(AppRequest(.init(rawValue: "telepathy"), domain: Shop.domain))
        }
        try await shop.close()
    }

    // MARK: Nothing there, and nobody asked

    @Test func `with nothing there it ends at once and nothing is shown`() async throws {
        let shop = try await shop()
        for immediately in [true, false] {
            await #expect(throws: AgentError(.nothingAvailable, "")) {
                try await shop.ask(
                    shop.assertion().request,
                    AppRequest(.password, domain: Shop.domain),
                    immediately: immediately
                )
            }
        }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `a locked vault is opened for an app that asks openly`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await shop.lock()
        shop.person.will(Shop.typed, .agreed)
        #expect(try await shop.ask(AppRequest(.password, domain: Shop.domain)).user == "ada")
        #expect(shop.person.asked.first?.text.contains("Asked by Shiny (org.example.Shiny), program ") == true)
        #expect(shop.person.asked.first?.text.contains("sign in to example.com") == true)
        try await shop.close()
    }

    @Test func `an app that wants only what is here has a locked vault opened if it had something before`() async throws
    {
        let shop = try await shop()
        try await shop.keep("ada")
        try await shop.lock()
        let request = AppRequest(.password, domain: Shop.domain)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(request, immediately: true) }
        #expect(shop.person.asked.isEmpty)
        shop.person.will(Shop.typed, .agreed)
        _ = try await shop.ask(request)
        try await shop.lock()
        shop.person.will(Shop.typed, .agreed)
        #expect(try await shop.ask(request, immediately: true).user == "ada")
        // What is known of one domain says nothing of another.
        try await shop.lock()
        let asked = shop.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(AppRequest(.password, domain: "example.org"), immediately: true)
        }
        #expect(shop.person.asked.count == asked)
        try await shop.close()
    }

    @Test func `without leave to prompt nothing is shown and nothing handed out`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        for request in [
            AppRequest(.password, domain: Shop.domain), shop.assertion().request, shop.registration().request,
        ] {
            await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(request, quiet: true) }
        }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `a prompt is withdrawn when the app goes away`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        shop.person.takes(.seconds(600))
        let app = Task { try await shop.ask(AppRequest(.password, domain: Shop.domain)) }
        while shop.person.asked.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        app.cancel()
        _ = await app.result
        shop.person.takes(.zero)
        // The next prompt waits for the one before: it comes only because that one is gone.
        shop.person.will(.agreed)
        #expect(try await shop.ask(AppRequest(.password, domain: Shop.domain)).user == "ada")
        try await shop.close()
    }
}
