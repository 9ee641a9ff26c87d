import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

@Suite struct `The answer of an identity provider` {
    @Test func `counts once, in the browser where the sign-in began, within ten minutes`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            let visit = try await ada.visit(provider, at: world)
            // Another browser, with a sign-in of its own or with none: nobody is signed in to an account of somebody else.
            let victim = world.visitor()
            #expect(try await victim.bring(visit).refusal == "403 flow_not_valid")
            _ = try await victim.visit(provider, at: world)
            #expect(try await victim.bring(visit).refusal == "403 flow_not_valid")
            #expect(try await ada.bring((visit.code, "other")).refusal == "403 flow_not_valid")
            #expect(provider.requests(for: "/token") == 0)
            let cookie = ada.federated
            #expect(try await ada.bring(visit)["unknown"] != nil)
            // Also if the browser kept the cookie, and the provider gives a code for it again.
            ada.federated = cookie
            let again = provider.code(for: "?state=\(visit.state)", at: world.effects.now)
            #expect(try await ada.bring(again).refusal != "200")
            ada.federated = cookie
            #expect(try await ada.bring(visit).status == .forbidden)

            let late = try await ada.visit(provider, at: world)
            world.effects.advance(by: 600)
            #expect(try await ada.bring(late).refusal == "403 flow_not_valid")
        }
    }

    @Test func `cannot be used twice although the provider gives two codes for it`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            let begun = try await ada.post("sign-in/federated", ["provider": "example"])
            let location = try #require(begun["location"]?.stringValue)
            let cookie = ada.federated
            let first = provider.code(for: location, at: world.effects.now)
            let second = provider.code(for: location, at: world.effects.now)
            #expect(try await ada.bring(first)["unknown"] != nil)
            ada.federated = cookie
            #expect(try await ada.bring(second).refusal == "403 flow_not_valid")
        }
    }

    @Test func `must name the provider that was asked`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            for wrong in ["https://evil.example", JSONValue.string("\(FakeProvider.issuer)/"), ""] as [JSONValue] {
                let ada = world.visitor()
                let visit = try await ada.visit(provider, at: world)
                #expect(try await ada.bring(visit, iss: wrong).refusal == "403 provider_refused")
            }
            // The provider says that it names itself always.
            let ada = world.visitor()
            let visit = try await ada.visit(provider, at: world)
            #expect(try await ada.bring(visit, iss: nil).refusal == "403 provider_refused")
            #expect(provider.requests(for: "/token") == 0, "no code goes anywhere")
        }
        let silent = FakeProvider()
        silent.with { $0.metadata["authorization_response_iss_parameter_supported"] = nil }
        try await silent.run { world in
            let ada = world.visitor()
            let visit = try await ada.visit(silent, at: world)
            let answer = try await ada.bring(visit, iss: nil)
            #expect(answer["unknown"] != nil)
        }
    }

    @Test func `may be an error, which signs nobody in`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            for (error, refusal) in [
                ("access_denied", "403 provider_cancelled"), ("user_cancelled_authorize", "403 provider_cancelled"),
                ("server_error", "403 provider_refused"),
            ] {
                let ada = world.visitor()
                let visit = try await ada.visit(provider, at: world)
                let answer = try await ada.post(
                    "sign-in/federated/answer",
                    [
                        "state": .string(visit.state), "code": .string(visit.code), "error": .string(error),
                        "iss": .string(FakeProvider.issuer),
                    ]
                )
                #expect(answer.refusal == refusal)
            }
            let ada = world.visitor()
            let visit = try await ada.visit(provider, at: world)
            #expect(try await ada.bring(("", visit.state)).refusal == "403 provider_refused")
        }
    }

    @Test func `that is posted changes nothing, and leads to the page with its known members`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            ada.origin = FakeProvider.issuer
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let body = Array("state=a%26b&code=c+d&user=%7B%7D&iss=https%3A%2F%2Fid.example.com".utf8)
            let moved = try await ada.send(.post, Federation.callback, body, form)
            #expect(moved.status == .seeOther)
            #expect(
                moved.headers[.location]
                    == "/federated/callback?state=a%26b&code=c%20d&iss=https%3A%2F%2Fid.example.com"
            )
            #expect(moved.headers[.setCookie] == nil)
            let twice = Array("state=a&state=b".utf8)
            #expect(try await ada.send(.post, Federation.callback, twice, form).status == .badRequest)
            let page = try await ada.get(Federation.callback + "?state=a&code=b")
            #expect(page.status == .ok && page.headers[.cacheControl] == "no-store")
            #expect(!page.text.contains("state=a"))
        }
    }

    @Test func `comes from a page of the service`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            try await ada.create("ada")
            for origin in ["https://evil.example", nil] as [String?] {
                ada.origin = origin
                for path in [
                    "sign-in/federated", "account/federated", "sign-in/federated/answer", "sign-in/federated/account",
                ] {
                    let answer = try await ada.post(path, ["provider": "example", "state": "a", "username": "eve"])
                    #expect(answer.refusal == "403 origin_not_allowed", "\(path)")
                }
            }
        }
    }

    @Test(arguments: TokenLie.withoutTime) func `with a token that lies signs nobody in`(_ lie: TokenLie) async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            _ = try await ada.signIn(at: provider, world)
            try await ada.post("sign-in/federated/account", ["username": "ada"])
            provider.with { $0.change = lie.change }
            let other = world.visitor()
            #expect(try await other.signIn(at: provider, world).refusal == "403 provider_refused")
            #expect(other.cookie == nil)
            provider.with { $0.change = { _ in } }
            #expect(try await other.signIn(at: provider, world)["account", "username"] == "ada")
        }
    }
}
