import HTTPTypes
import Testing
import WardTesting

/// OpenID Connect RP-Initiated Logout 1.0.
@Suite struct `A sign-out at the wish of a client` {
    private static let bye = "https://wiki.example.com/bye"

    private func ask(_ browser: Visitor, _ fields: [String: String?]) async throws -> Answer {
        try await browser.get("/oidc/logout?\(ClientFixture.form(fields))")
    }

    @Test func `ends the session at once for a client that shows whose it is`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let hint = try await wiki.enter(ada).text("id_token")
            world.effects.advance(by: 700)
            let fields = ["id_token_hint": hint, "post_logout_redirect_uri": Self.bye, "state": "a b"]
            let answer = try await ask(ada, fields)
            #expect(answer.status == .seeOther && answer.headers[.location] == Self.bye + "?state=a%20b")
            #expect(ada.cookie == nil)
            #expect(try await ask(ada, fields).headers[.location] == Self.bye + "?state=a%20b", "nobody is signed in")
        }
    }

    @Test func `asks the person otherwise`() async throws {
        try await withProvider { world, _ in
            let (ada, bob, wiki) = (
                try await world.person(), try await world.person("bob"), ClientFixture(world: world)
            )
            let hint = try #require(try await wiki.enter(ada).text("id_token"))
            let forged = String(hint.dropLast(3)) + (hint.hasSuffix("AAA") ? "BBA" : "AAA")
            for fields in [
                [:], ["client_id": "wiki"], ["id_token_hint": "x"], ["id_token_hint": forged],
                ["id_token_hint": hint, "client_id": "shop"],
            ] as [[String: String]] {
                let answer = try await ask(ada, fields)
                #expect(answer.status == .ok && answer.text.contains("sign-out-submit"), "\(fields)")
                #expect(try await ada.isSignedIn())
            }
            #expect(try await ask(bob, ["id_token_hint": hint]).status == .ok, "another person's")
            #expect(try await bob.isSignedIn())
            let named = try await ask(ada, ["client_id": "wiki", "post_logout_redirect_uri": Self.bye])
            #expect(named.text.contains("data-place=\"\(Self.bye)\"") && named.text.contains("The wiki"))
        }
    }

    @Test func `leads nobody to a place that the client did not register`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for uri in ["https://evil.example/", "//evil.example", Self.bye + "/", "https://shop.example.com/bye"] {
                let fields: [String: String?] = ["client_id": "wiki", "post_logout_redirect_uri": uri]
                #expect(try await ask(ada, fields).text.contains("data-place=\"/\""), "\(uri)")
                #expect(try await ask(world.visitor(), fields).headers[.location] == "/")
            }
            let hint = try await wiki.enter(ada).text("id_token")
            let answer = try await ask(
                ada,
                ["id_token_hint": hint, "post_logout_redirect_uri": "https://shop.example.com/bye"]
            )
            #expect(answer.headers[.location] == "/")
        }
    }
}
