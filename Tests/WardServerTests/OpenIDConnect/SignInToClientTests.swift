import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText

/// The whole way of OpenID Connect Core 1.0, section 3.1.
@Suite struct `A sign-in to a client` {
    @Test func `leads from the code to tokens, and to who the person is`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            world.effects.advance(by: 5)
            let back = try wiki.sentBack(await wiki.authorize(ada))
            #expect(back["state"] == "s t&a=te")
            let answer = try await wiki.redeem(try #require(back["code"]))
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer["token_type"] == "Bearer" && answer["expires_in"] == 600)
            #expect(answer["scope"] == "openid profile" && answer["refresh_token"] == nil)
            let claims = try await wiki.claims(answer)
            let now = world.effects.now
            #expect(claims["iss"]?.stringValue == ClientFixture.issuer && claims["aud"] == "wiki")
            #expect(
                claims["nonce"] == "n-0S6" && claims["iat"] == .integer(now) && claims["exp"] == .integer(now + 600)
            )
            #expect(claims["auth_time"] == .integer(now - 5))
            #expect(claims["acr"] == "phr" && claims["amr"] == ["swk", "user", "mfa"])
            #expect(claims["at_hash"]?.base64URLValue?.count == 16)
            let info = try await wiki.userInfo(answer.text("access_token"))
            #expect(info.status == .ok && info["sub"] == claims["sub"])
            #expect(info["preferred_username"] == "ada" && info["name"]?.stringValue != nil)
            let account = try await ada.get("account")
            #expect(account["id"] == nil || account["id"] == claims["sub"])
        }
    }

    @Test func `goes through the sign-in page for a person who is not signed in`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            ada.cookie = nil
            let page = try await wiki.authorize(ada, ["login_hint": "a\"da"])
            #expect(page.status == .ok && page.text.contains("The wiki") && page.text.contains("a&quot;da"))
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
            try await ada.signIn()
            #expect(try await wiki.enter(ada).status == .ok)
        }
    }

    @Test func `works with a form, which an address replaces`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let answer = try await ada.send(.post, "/oidc/authorize", Array(wiki.query().utf8), headers)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/oidc/authorize?\(wiki.query())")
        }
    }

    @Test func `works for a native app at any port of a loopback address, and without a secret`() async throws {
        try await withProvider { world, _ in
            let ada = try await world.person()
            var app = ClientFixture(world: world, id: "cli", secret: nil)
            for uri in ["http://127.0.0.1:51234/callback", "http://127.0.0.1/callback", "com.example.cli:/callback"] {
                app.redirectURI = uri
                #expect(try await app.enter(ada).status == .ok, "\(uri)")
            }
        }
    }

    @Test func `takes the client's secret in the header field as well, but not twice`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            var plain = wiki
            plain.secret = nil
            let pair = Data("wiki:\(ClientFixture.secret.text)".utf8).base64EncodedString()
            let basic: HTTPFields = [.authorization: "Basic \(pair)"]
            var fields: [String: String?] = [
                "grant_type": "authorization_code", "code": try await wiki.code(ada),
                "redirect_uri": wiki.redirectURI, "code_verifier": wiki.verifier,
            ]
            #expect(try await wiki.call("/oidc/token", fields, headers: basic).failure == "400 invalid_request")
            #expect(try await plain.call("/oidc/token", fields, headers: basic).status == .ok)
            fields["code"] = try await wiki.code(ada)
            for wrong in ["Basic !", "Basic eA==", "Bearer x", "Basic d2lraTp4"] {
                let answer = try await plain.call("/oidc/token", fields, headers: [.authorization: wrong])
                #expect(answer.failure == "401 invalid_client")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
            }
        }
    }

    @Test func `keeps a query of the redirect URI`() async throws {
        try await withProvider { world, _ in
            let ada = try await world.person()
            let wiki = ClientFixture(world: world, redirectURI: "https://wiki.example.com/callback?a=b")
            #expect(try await wiki.enter(ada).status == .ok)
        }
    }

    @Test func `says only what the scope asks for`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, ["scope": "openid unknown"])
            #expect(answer["scope"] == "openid")
            #expect(try await wiki.userInfo(answer.text("access_token")).json.objectValue?.map(\.name) == ["sub"])
        }
    }

    @Test func `tells the e-mail address that was confirmed, to a client that asks, and no other`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, ["scope": "openid email"])
            #expect(answer["scope"] == "openid email")
            func claims() async throws -> JSONValue { try await wiki.userInfo(answer.text("access_token")).json }
            #expect(try await claims().objectValue?.map(\.name) == ["sub"])
            let id = try #require(try await claims()["sub"]?.stringValue.flatMap { AccountID(text: $0) })
            let waiting = AccountEmail.Entry(try EmailAddress("ada@mail.example"), at: 1)
            let given = AccountEmail(accountID: id, pending: waiting, language: "en")
            try await store.write { tx in try tx.setEmail(given) }
            #expect(try await claims().objectValue?.map(\.name) == ["sub"], "it is not confirmed")
            let known = AccountEmail.Entry(try EmailAddress("ada@home.example"), at: 2)
            let confirmed = AccountEmail(accountID: id, confirmed: known, pending: waiting, language: "en")
            try await store.write { tx in try tx.setEmail(confirmed) }
            #expect(try await claims()["email"] == "ada@home.example")
            #expect(try await claims()["email_verified"] == true)
            let other = try await wiki.enter(ada, ["scope": "openid profile"])
            #expect(try await wiki.userInfo(other.text("access_token"))["email"] == nil)
        }
    }

    @Test func `tells the groups to a client that asks, as they are now`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let answer = try await wiki.enter(ada, ["scope": "openid groups"])
            func claims() async throws -> JSONValue { try await wiki.userInfo(answer.text("access_token")).json }
            #expect(try await claims()["groups"] == [])
            let id = try #require(try await claims()["sub"]?.stringValue.flatMap { AccountID(text: $0) })
            let groups = try ["admins", "staff"].map { try GroupName($0) }
            try await store.write { tx in _ = try tx.setAccount(id: id, groups: groups) }
            #expect(try await claims()["groups"] == ["admins", "staff"])
            let other = try await wiki.enter(ada, ["scope": "openid profile"])
            #expect(try await wiki.userInfo(other.text("access_token"))["groups"] == nil)
        }
    }

    @Test func `says that the client asks for it, to a person who is signed in`() async throws {
        try await withProvider { world, _ in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let sentence = "This app asks you to sign in again"
            for changes: [String: String?] in [["prompt": "login"], ["max_age": "0"]] {
                let sent = try await wiki.authorize(ada, changes)
                let page = try await ada.get(try #require(sent.headers[.location]))
                #expect(page.text.contains(sentence) && page.text.contains("The wiki"), "\(changes)")
            }
            let stranger = world.visitor()
            let sent = try await wiki.authorize(stranger, ["prompt": "login"])
            let page = try await stranger.get(try #require(sent.headers[.location]))
            #expect(page.text.contains("After that you go on to") && !page.text.contains(sentence))
        }
    }

    @Test func `tells a password from a passkey`() async throws {
        try await withProvider { world, _ in
            let (bob, wiki) = (world.visitor(), ClientFixture(world: world))
            try await bob.create("bob")
            let claims = try await wiki.claims(wiki.enter(bob))
            #expect(claims["acr"] == nil && claims["amr"] == ["pwd"])
        }
    }

    @Test func `asks a person once whether to allow a client of others`() async throws {
        try await withProvider { world, store in
            let ada = try await world.person()
            var shop = ClientFixture(world: world, id: "shop", redirectURI: "https://shop.example/callback")
            let page = try await shop.authorize(ada)
            #expect(page.status == .ok && page.text.contains("The shop") && page.text.contains("https://shop.example"))
            func decide(_ allow: Bool, _ changes: [String: String?] = [:]) async throws -> [String: String] {
                let answer = try await ada.post(
                    "authorization",
                    ["request": .string(shop.query(changes)), "allow": .bool(allow)]
                )
                #expect(answer.status == .ok, "\(answer.text)")
                return try shop.fields(try #require(answer.text("location")))
            }
            let refused = try await decide(false)
            #expect(refused["error"] == "access_denied" && refused["state"] == "s t&a=te")
            #expect(try await shop.authorize(ada).status == .ok, "a refusal is not remembered")
            let code = try #require(try await decide(true)["code"])
            #expect(try await shop.redeem(code).status == .ok)
            #expect(try await shop.enter(ada).status == .ok, "it is remembered")
            #expect(
                try await shop.authorize(ada, ["scope": "openid offline_access"]).status == .ok,
                "more is asked anew"
            )
            #expect(try await shop.authorize(ada, ["prompt": "consent"]).status == .ok)
            let bob = try await world.person("bob")
            #expect(try await shop.authorize(bob).status == .ok, "another person")
            #expect(try await decide(false, ["prompt": "consent"])["error"] == "access_denied")
            #expect(try await shop.authorize(ada).status == .ok, "it is forgotten")
            shop.id = "wiki"
            #expect(try await store.read { try $0.oauthClients().count } == 3)
        }
    }

    @Test func `is not there until there is a client`() async throws {
        try await withService { (world: ServiceFixture) async throws in
            let stranger = world.visitor()
            for path in ["openid-configuration", "oauth-authorization-server"] {
                #expect(try await stranger.get("/.well-known/\(path)").status == .notFound)
            }
            #expect(try await stranger.get("/oidc/jwks").status == .notFound)
            #expect(try await stranger.get("/oidc/authorize?client_id=x").status == .badRequest)
        }
    }

    @Test func `is described in both documents`() async throws {
        try await withProvider { world, _ in
            let found = try await world.visitor().get("/.well-known/openid-configuration")
            let same = try await world.visitor().get("/.well-known/oauth-authorization-server")
            #expect(found.status == .ok && found.body == same.body)
            #expect(found.headers[.accessControlAllowOrigin] == "*")
            #expect(found["issuer"]?.stringValue == ClientFixture.issuer)
            for name in [
                "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint",
                "revocation_endpoint", "introspection_endpoint", "device_authorization_endpoint",
            ] {
                let address = try #require(found.text(name))
                #expect(address.hasPrefix("\(ClientFixture.issuer)/oidc/"))
                let path = String(address.dropFirst(ClientFixture.issuer.count))
                #expect(try await world.visitor().get(path).status != .notFound, "\(path)")
            }
            #expect(found["response_types_supported"] == ["code"])
            #expect(found["code_challenge_methods_supported"] == ["S256"])
            #expect(found["authorization_response_iss_parameter_supported"] == true)
        }
    }
}
