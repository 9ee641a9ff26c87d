import HTTPTypes
import Testing
import WardText

@Suite struct `A bound session and the clients of OpenID Connect` {
    @Test func `a stolen cookie signs in to no client and signs nobody out`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki, thief) = (try await world.person(), ClientFixture(world: world), world.visitor())
            try await ada.bind(DeviceKey(), after: ada.signIn(), in: world)
            thief.cookie = ada.cookie
            #expect(try await wiki.authorize(thief).text.contains("data-testid=\"renewal\""))
            let page = try await wiki.authorize(thief)
            #expect(page.status == .ok && page.text.contains("data-testid=\"sign-in\""))
            let silent = try wiki.sentBack(await wiki.authorize(thief, ["prompt": "none"]))
            #expect(silent["error"] == "login_required")
            let body: JSONValue = ["request": .string(wiki.query()), "allow": true]
            #expect(try await thief.post("authorization", body).refusal == "401 not_signed_in")
            #expect(try await thief.get("/oidc/logout").headers[.location] == "/")
            #expect(try await wiki.enter(ada).status == .ok)
        }
    }

    @Test func `a stolen cookie and a stolen password take over no sign-in to a client`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki, thief) = (try await world.person(), ClientFixture(world: world), world.visitor())
            let password: JSONValue = ["password": .string(Visitor.password)]
            #expect(try await ada.put("account/password", password).status == .noContent)
            try await ada.bind(DeviceKey(), after: ada.signIn(), in: world)
            let tokens = try await wiki.enter(ada, ["scope": "openid offline_access"])
            thief.cookie = ada.cookie
            #expect(try await thief.signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await wiki.refresh(tokens.text("refresh_token")).failure == "400 invalid_grant")
        }
    }
}
