import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// Codes and tokens in the hands of a thief, of a clumsy client, and of an honest one.
@Suite struct `Codes and tokens` {
    @Test func `a code used twice ends what it gave`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let code = try await wiki.code(ada, ["scope": "openid offline_access"])
            let answer = try await wiki.redeem(code)
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .ok)
            #expect(try await wiki.redeem(code).failure == "400 invalid_grant")
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .unauthorized)
            #expect(try await wiki.refresh(answer.text("refresh_token")).failure == "400 invalid_grant")
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(events.contains(.clientSignedIn) && events.contains(.grantReused))
        }
    }

    /// How a code is used wrongly: the changes to the call.
    static let misuses: [[String: String?]] = [
        ["code_verifier": nil], ["code_verifier": "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOP~0124"],
        ["code_verifier": "short"], ["redirect_uri": nil], ["redirect_uri": "https://wiki.example.com/callback?a=b"],
    ]

    @Test func `a code works once, for its client, redirect URI and verifier, for a minute`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for misuse in Self.misuses {
                let code = try await wiki.code(ada)
                #expect(try await wiki.redeem(code, misuse).failure == "400 invalid_grant", "\(misuse)")
                #expect(try await wiki.redeem(code).failure == "400 invalid_grant", "the try used it up")
            }
            var code = try await wiki.code(ada)
            world.effects.advance(by: 60)
            #expect(try await wiki.redeem(code).failure == "400 invalid_grant", "late")
            code = try await wiki.code(ada)
            world.effects.advance(by: 59)
            var other = wiki
            other.id = "shop"
            #expect(try await other.redeem(code).failure == "400 invalid_grant", "another client")
            #expect(try await wiki.redeem(code, ["client_secret": "x"]).failure == "401 invalid_client")
            #expect(try await wiki.redeem(code, ["client_secret": ""]).failure == "401 invalid_client")
            #expect(try await wiki.redeem(code, ["client_id": "nobody"]).failure == "401 invalid_client")
            #expect(try await wiki.redeem(code).status == .ok, "none of these used it up")
            for wrong in ["", "x", String(repeating: "A", count: 43)] {
                #expect(try await wiki.redeem(wrong).status == .badRequest)
            }
        }
    }

    @Test func `a public client has no secret, and one that sends one is refused`() async throws {
        try await withProvider { world, _ in
            let ada = try await world.person()
            let app = ClientFixture(world: world, id: "cli", secret: nil, redirectURI: "http://127.0.0.1:4711/callback")
            let code = try await app.code(ada)
            #expect(
                try await app.redeem(code, ["client_secret": ClientFixture.secret.text]).failure == "401 invalid_client"
            )
            #expect(
                try await app.redeem(code, ["redirect_uri": "http://127.0.0.1:4712/callback"]).status == .badRequest
            )
        }
    }

    @Test func `there are no other ways to tokens`() async throws {
        try await withProvider { world, _ in
            let wiki = ClientFixture(world: world)
            for type in ["password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
                let fields: [String: String?] = ["grant_type": type, "username": "ada", "password": "x"]
                #expect(try await wiki.call("/oidc/token", fields).failure == "400 unsupported_grant_type")
            }
            #expect(try await wiki.call("/oidc/token", [:]).failure == "400 invalid_request")
            let json = try await world.visitor().send(.post, "/oidc/token", Array("{}".utf8))
            #expect(json.failure == "400 invalid_request")
            #expect(try await world.visitor().get("/oidc/token").status == .methodNotAllowed)
        }
    }

    // MARK: Refresh tokens

    private static let lasting: [String: String?] = ["scope": "openid profile offline_access"]

    @Test func `a refresh token is replaced each time, and its ID token is of the same sign-in`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let first = try await wiki.enter(ada, Self.lasting)
            world.effects.advance(by: 700)
            #expect(try await wiki.userInfo(first.text("access_token")).status == .unauthorized)
            let second = try await wiki.refresh(first.text("refresh_token"))
            #expect(second.status == .ok && second["refresh_token"] != first["refresh_token"])
            #expect(try await wiki.userInfo(second.text("access_token")).status == .ok)
            let (before, after) = (try await wiki.claims(first), try await wiki.claims(second))
            for name in ["iss", "sub", "aud", "auth_time", "acr"] { #expect(before[name] == after[name], "\(name)") }
            #expect(after["nonce"] == nil && after["iat"] == .integer(world.effects.now))
            world.effects.advance(by: 31)
            let third = try await wiki.refresh(second.text("refresh_token"))
            #expect(third.status == .ok)
        }
    }

    @Test func `a refresh token used twice ends its family`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let first = try await wiki.enter(ada, Self.lasting)
            let second = try await wiki.refresh(first.text("refresh_token"))
            world.effects.advance(by: 30)
            #expect(try await wiki.refresh(first.text("refresh_token")).failure == "400 invalid_grant")
            #expect(try await wiki.refresh(second.text("refresh_token")).failure == "400 invalid_grant")
            #expect(try await wiki.userInfo(second.text("access_token")).status == .unauthorized)
        }
    }

    @Test func `the answer to a refresh may be lost once, and still only one token works`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let first = try await wiki.enter(ada, Self.lasting).text("refresh_token")
            let lost = try await wiki.refresh(first).text("refresh_token")
            world.effects.advance(by: 29)
            let again = try await wiki.refresh(first)
            #expect(again.status == .ok, "the client asks once more")
            // The lost one is in the hands of a thief.
            #expect(try await wiki.refresh(lost).failure == "400 invalid_grant")
            #expect(try await wiki.refresh(again.text("refresh_token")).failure == "400 invalid_grant", "all ended")

            // A thief who is faster loses as well: the client's next use of an old one ends all.
            let stolen = try await wiki.enter(ada, Self.lasting).text("refresh_token")
            let taken = try await wiki.refresh(stolen).text("refresh_token")
            let further = try await wiki.refresh(taken)
            #expect(further.status == .ok)
            #expect(try await wiki.refresh(stolen).failure == "400 invalid_grant", "its successor was used")
            #expect(try await wiki.refresh(further.text("refresh_token")).failure == "400 invalid_grant")
        }
    }

    @Test func `a refresh token works for its client and its scope only`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, Self.lasting)
            let token = answer.text("refresh_token")
            var other = wiki
            other.id = "shop"
            #expect(try await other.refresh(token).failure == "400 invalid_grant")
            #expect(try await wiki.refresh(token, ["client_secret": "x"]).failure == "401 invalid_client")
            #expect(try await wiki.refresh(token, ["scope": "openid email"]).failure == "400 invalid_scope")
            #expect(try await wiki.refresh(answer.text("access_token")).failure == "400 invalid_grant")
            #expect(try await wiki.userInfo(token).status == .unauthorized)
            #expect(try await wiki.refresh(token, ["scope": "openid"]).status == .ok)
        }
    }

    @Test(arguments: ["sign-out", "session", "account", "disable", "client", "expiry"])
    func `tokens end with the session`(ending: String) async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, Self.lasting)
            let code = try await wiki.code(ada)
            switch ending {
            case "sign-out": try await ada.post("sign-out")
            case "session":
                let phone = ada.elsewhere()
                try await phone.signIn()
                try await phone.delete("account/sessions/\(try await phone.otherSessions()[0])")
            case "account": try await ada.delete("account")
            case "disable":
                try await store.write { tx in
                    let account = try #require(try tx.account(username: "ada"))
                    try await tx.disableAccount(id: account.id, at: 0)
                }
            case "client": try await store.write { _ = try $0.deleteOAuthClient(id: "wiki") }
            default: world.effects.advance(by: 14 * 86_400)
            }
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .unauthorized)
            #expect(try await wiki.refresh(answer.text("refresh_token")).status != .ok)
            #expect(try await wiki.redeem(code).status != .ok)
        }
    }

    @Test func `a refresh is a use of the session`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            var token = try await wiki.enter(ada, Self.lasting).text("refresh_token")
            for _ in 0..<3 {
                world.effects.advance(by: 10 * 86_400)
                token = try await wiki.refresh(token).text("refresh_token")
                #expect(token != nil)
            }
            #expect(try await ada.isSignedIn())
            world.effects.advance(by: 90 * 86_400)
            #expect(try await wiki.refresh(token).status == .badRequest, "the session has a longest life")
        }
    }

    @Test func `tokens stay when the same person signs in again, and end when another does`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, Self.lasting)
            try await ada.signIn()
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .ok)
            let bob = try await world.person("bob")
            ada.authenticator = bob.authenticator
            try await ada.signIn()
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .unauthorized)
            #expect(try await wiki.refresh(answer.text("refresh_token")).status == .badRequest)
        }
    }

    // MARK: Ending and asking

    @Test func `a client ends its tokens, and no others`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, Self.lasting)
            var other = wiki
            other.id = "shop"
            let token = answer.text("refresh_token")
            #expect(try await other.call("/oidc/revoke", ["token": token]).failure == "400 unauthorized_client")
            #expect(
                try await wiki.call("/oidc/revoke", ["token": token, "client_secret": "x"]).status == .unauthorized
            )
            #expect(try await wiki.call("/oidc/revoke", [:]).failure == "400 invalid_request")
            #expect(try await wiki.call("/oidc/revoke", ["token": "nothing"]).status == .ok)
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .ok)
            #expect(try await wiki.call("/oidc/revoke", ["token": answer.text("access_token")]).status == .ok)
            #expect(try await wiki.userInfo(answer.text("access_token")).status == .unauthorized)
            let next = try await wiki.refresh(token)
            let fields: [String: String?] = ["token": next.text("refresh_token"), "token_type_hint": "access_token"]
            #expect(try await wiki.call("/oidc/revoke", fields).status == .ok)
            #expect(try await wiki.userInfo(next.text("access_token")).status == .unauthorized)
            #expect(try await wiki.refresh(next.text("refresh_token")).status == .badRequest)
        }
    }

    @Test func `a service asks what a token is worth`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, Self.lasting)
            var service = wiki
            service.id = "shop"
            let found = try await service.call("/oidc/introspect", ["token": answer.text("access_token")])
            #expect(found["active"] == true && found["client_id"] == "wiki" && found["username"] == "ada")
            #expect(found["acr"] == "phr" && found["auth_time"] == .integer(world.effects.now))
            #expect(found["exp"] == .integer(world.effects.now + 600))
            for token in [answer.text("refresh_token"), "x", ClientFixture.secret.text] {
                let answer = try await service.call("/oidc/introspect", ["token": token])
                #expect(answer.status == .ok && answer.json == ["active": false])
            }
            let app = ClientFixture(world: world, id: "cli", secret: nil)
            let asked = try await app.call("/oidc/introspect", ["token": answer.text("access_token")])
            #expect(asked.failure == "400 unauthorized_client")
            #expect(try await service.call("/oidc/introspect", [:]).failure == "400 invalid_request")
        }
    }

    @Test func `who the person is, is told to the holder of an access token`() async throws {
        try await withProvider { world, _ in
            let wiki = ClientFixture(world: world)
            let answer = try await wiki.userInfo(nil)
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.wwwAuthenticate]?.contains("error") == false)
            for token in ["x", String(repeating: "A", count: 43)] {
                let answer = try await wiki.userInfo(token)
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.wwwAuthenticate]?.contains("error=\"invalid_token\"") == true)
            }
            let ada = try await world.person()
            #expect(try await ada.get("/oidc/userinfo").status == .unauthorized, "a cookie opens nothing")
            let token = try #require(try await wiki.enter(ada).text("access_token"))
            let form = Array("access_token=\(token)".utf8)
            let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            #expect(try await world.visitor().send(.post, "/oidc/userinfo", form, headers).status == .ok)
            var both = headers
            both[.authorization] = "Bearer \(token)"
            #expect(try await world.visitor().send(.post, "/oidc/userinfo", form, both).status == .badRequest)
        }
    }

    @Test func `wrong secrets are limited by address`() async throws {
        var limits = Limits()
        limits.secrets = .rate(atOnce: 2, perHour: 1)
        try await withProvider(tryLimits: limits, trustedProxies: ["unix"]) { world, _ in
            let other = SessionToken.random { Array(repeating: 8, count: $0) }.text
            let guess = ClientFixture(world: world, secret: other, address: "192.0.2.1")
            let wiki = ClientFixture(world: world, address: "192.0.2.1")
            let elsewhere = ClientFixture(world: world, address: "198.51.100.1")
            for _ in 0..<2 {
                let answer = try await guess.refresh("x")
                #expect(answer.failure == "401 invalid_client")
            }
            #expect(try await guess.refresh("x").status == .tooManyRequests)
            #expect(try await wiki.refresh("x").status == .tooManyRequests, "the right one tells a guesser nothing")
            #expect(try await elsewhere.refresh("x").failure == "400 invalid_grant")
        }
    }

    @Test func `codes are limited by account`() async throws {
        var limits = Limits()
        limits.codes = .rate(atOnce: 3, perHour: 1)
        try await withProvider(tryLimits: limits) { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for _ in 0..<3 { _ = try await wiki.code(ada) }
            #expect(try await wiki.authorize(ada).status == .tooManyRequests)
            #expect(try await wiki.authorize(world.person("bob")).status == .seeOther)
        }
    }
}
