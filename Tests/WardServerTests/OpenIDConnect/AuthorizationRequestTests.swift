import HTTPTypes
import Testing
import WardTesting
import WardText

/// What a client may ask for, and where the answer goes.
@Suite struct `A request of a client` {
    /// Addresses that look like a registered one, and are not.
    static let tricks = [
        "https://wiki.example.com/callback/", "https://wiki.example.com/callback?", "https://wiki.example.com/callbac",
        "https://wiki.example.com/callback#x", "https://wiki.example.com/callback?a=c",
        "https://WIKI.example.com/callback",
        "https://wiki.example.com:443/callback", "https://wiki.example.com:8443/callback",
        "https://wiki.example.com.evil.example/callback", "https://wiki.example.com@evil.example/callback",
        "https://evil.example/callback", "//evil.example/callback", "/callback", "http://wiki.example.com/callback",
        "https://wiki.example.com/./callback", "https://wiki.example.com/%63allback",
        "https://wiki.example.com\\callback",
        "https://wiki.example.com/callback\r\nSet-Cookie: a=b", "https://wiki.example.com/callback ",
        "javascript:alert(1)",
        "http://127.0.0.1/callback", "com.example.cli:/callback", "https://shop.example/callback", "",
    ]

    @Test func `leads nobody to a place that the client did not register`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for trick in Self.tricks {
                for more in [[:], ["prompt": "none"], ["response_type": "token"], ["scope": ""]] as [[String: String?]]
                {
                    let answer = try await wiki.authorize(ada, more.merging(["redirect_uri": trick]) { $1 })
                    #expect(answer.status == .badRequest, "\(trick)")
                    #expect(answer.headers[.location] == nil)
                }
            }
            for id in ["", "nobody", "WIKI", "wiki "] {
                let answer = try await wiki.authorize(ada, ["client_id": id])
                #expect(answer.status == .badRequest && answer.headers[.location] == nil, "\(id)")
            }
            #expect(try await wiki.authorize(ada, ["redirect_uri": nil]).status == .badRequest)
        }
    }

    static let loopbackTricks = [
        "http://127.0.0.1:/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback",
        "http://127.0.0.1:1@evil.example/callback", "http://127.0.0.1:1.evil.example/callback",
        "http://127.0.0.1.evil.example/callback", "http://127.0.0.2:80/callback", "http://localhost:80/callback",
        "https://127.0.0.1:80/callback", "http://127.0.0.1:80/other", "http://[::1]:80/callback",
        "com.example.cli:/other", "com.example.cli://callback",
    ]

    @Test func `leaves only the port of a loopback address open`() async throws {
        try await withProvider { world, _ in
            let (ada, app) = (try await world.person(), ClientFixture(world: world, id: "cli", secret: nil))
            for trick in Self.loopbackTricks {
                #expect(try await app.authorize(ada, ["redirect_uri": trick]).status == .badRequest, "\(trick)")
            }
        }
    }

    /// A change to a right request, and the error that goes back with the person.
    static let refusals: [([String: String?], String)] = [
        (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "id_token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "unsupported_response_type"),
        (["response_type": "code token"], "unsupported_response_type"),
        (["response_mode": "fragment"], "invalid_request"), (["response_mode": "form_post"], "invalid_request"),
        (["scope": nil], "invalid_scope"), (["scope": "profile"], "invalid_scope"),
        (["code_challenge": nil], "invalid_request"), (["code_challenge": "x"], "invalid_request"),
        (["code_challenge_method": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
        (["prompt": "none login"], "invalid_request"), (["prompt": "create"], "invalid_request"),
        (["max_age": "-1"], "invalid_request"), (["max_age": "x"], "invalid_request"),
        (["request": "e30.e30."], "request_not_supported"),
        (["request_uri": "https://evil.example/"], "request_uri_not_supported"),
        (["registration": "{}"], "registration_not_supported"),
        (["nonce": String(repeating: "n", count: 513)], "invalid_request"),
        (["acr_values": "urn:unknown"], "unmet_authentication_requirements"),
    ]

    @Test func `gets its refusal with state and issuer, and no code`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for (change, error) in Self.refusals {
                let back = try wiki.sentBack(await wiki.authorize(ada, change))
                #expect(back["error"] == error, "\(change)")
                #expect(back["state"] == "s t&a=te" && back["code"] == nil)
                #expect(back["error_description"]?.isEmpty == false)
            }
        }
    }

    @Test func `has each parameter once`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for more in ["state=x", "redirect_uri=https%3A%2F%2Fevil.example%2F", "client_id=shop", "%zz=1", "x=%ff"] {
                let answer = try await ada.get("/oidc/authorize?\(wiki.query())&\(more)")
                #expect(answer.status == .badRequest && answer.headers[.location] == nil, "\(more)")
            }
            #expect(try await ada.get("/oidc/authorize?\(wiki.query())&unknown=1").status == .seeOther)
        }
    }

    @Test func `without a page is answered without one`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            func error(_ browser: Visitor, _ more: [String: String?] = [:]) async throws -> String? {
                let changes = more.merging(["prompt": "none"]) { $1 }
                return try wiki.sentBack(await wiki.authorize(browser, changes))["error"]
            }
            #expect(try await error(world.visitor()) == "login_required")
            #expect(try await error(ada) == nil)
            world.effects.advance(by: 10)
            #expect(try await error(ada, ["max_age": "9"]) == "login_required")
            #expect(try await error(ada, ["max_age": "10"]) == nil)
            #expect(try await error(ada, ["acr_values": "phrh"]) == "login_required")
            let shop = ClientFixture(world: world, id: "shop", redirectURI: "https://shop.example/callback")
            #expect(try shop.sentBack(await shop.authorize(ada, ["prompt": "none"]))["error"] == "consent_required")
            let bob = try await world.person("bob")
            let hers = try await wiki.enter(ada).text("id_token")
            #expect(try await error(ada, ["id_token_hint": hers]) == nil)
            #expect(try await error(bob, ["id_token_hint": hers]) == "login_required")
            let hint = try #require(hers)
            let forged = String(hint.dropLast(4)) + (hint.hasSuffix("AAAA") ? "BBBA" : "AAAA")
            let answer = try await wiki.authorize(ada, ["id_token_hint": forged])
            #expect(answer.status == .badRequest)
        }
    }

    @Test func `can want a new sign-in, which no older one replaces`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for change in [["prompt": "login"], ["prompt": "select_account"], ["max_age": "0"]] {
                world.effects.advance(by: 10)
                let restart = try await wiki.authorize(ada, change)
                let place = try #require(restart.headers[.location])
                #expect(restart.status == .seeOther && place.hasPrefix("/oidc/authorize?"))
                #expect(try await ada.get(place).status == .ok, "the sign-in page")
                // Nobody gets around it with another mark or another request.
                let mark = try #require(place.split(separator: "&").last)
                let other = String(mark.dropLast(2)) + (mark.hasSuffix("AA") ? "BA" : "AA")
                for forged in [
                    place.replacing(mark, with: other),
                    place.replacing("profile", with: "offline_access"),
                    place.replacing(".", with: "0."),
                ] {
                    let answer = try await ada.get(forged)
                    #expect(answer.headers[.location]?.contains("code=") != true, "\(forged)")
                }
                try await ada.signIn()
                let back = try wiki.sentBack(await ada.get(place))
                #expect(back["code"] != nil)
                let claims = try await wiki.claims(wiki.redeem(try #require(back["code"])))
                #expect(claims["auth_time"] == .integer(world.effects.now))
                // The same address once more wants the session to be another one than at its beginning, and it is.
                #expect(try await wiki.authorize(ada, change).headers[.location]?.contains("code=") != true)
            }
        }
    }

    @Test func `is asked once by a person who is not signed in`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            ada.cookie = nil
            let place = try #require(try await wiki.authorize(ada, ["prompt": "login"]).headers[.location])
            #expect(try await ada.get(place).status == .ok)
            try await ada.signIn()
            #expect(try wiki.sentBack(await ada.get(place))["code"] != nil)
            world.effects.advance(by: 3_600)
            #expect(try await ada.get(place).headers[.location]?.contains("code=") != true, "an hour later")
        }
    }

    @Test func `can want a passkey, where a password is not enough`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (world.visitor(), ClientFixture(world: world))
            try await ada.create("ada")
            try await ada.register()
            let change: [String: String?] = ["acr_values": "phr phrh"]
            let place = try #require(try await wiki.authorize(ada, change).headers[.location])
            let page = try await ada.get(place)
            #expect(page.status == .ok && !page.text.contains("use-password"))
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try wiki.sentBack(await ada.get(place))["error"] == "unmet_authentication_requirements")
            let again = try #require(try await wiki.authorize(ada, change).headers[.location])
            try await ada.signIn()
            let code = try #require(try wiki.sentBack(await ada.get(again))["code"])
            #expect(try await wiki.claims(wiki.redeem(code))["acr"] == "phr")
        }
    }

    @Test func `can want a key that one device holds`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (world.visitor(), ClientFixture(world: world))
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register("ada")
            let claims = try await wiki.claims(wiki.enter(ada, ["acr_values": "phrh"]))
            #expect(claims["acr"] == "phrh" && claims["amr"] == ["hwk", "user", "mfa"])
        }
    }
}
