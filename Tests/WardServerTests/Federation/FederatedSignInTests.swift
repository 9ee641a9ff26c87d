import Foundation
import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

@Suite struct `A sign-in at an identity provider` {
    @Test func `asks the provider for a code with a challenge, and sends the secret in the header field`() async throws
    {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            let begun = try await ada.post("sign-in/federated", ["provider": "example"])
            let location = try #require(begun["location"]?.stringValue)
            #expect(location.hasPrefix("https://id.example.com/authorize?"))
            let asked = FakeProvider.members(String(location.drop { $0 != "?" }.dropFirst()))
            #expect(asked["response_type"] == "code" && asked["client_id"] == TokenMaker.clientID)
            #expect(asked["redirect_uri"] == "http://localhost:8080/federated/callback")
            #expect(asked["scope"] == "openid email" && asked["code_challenge_method"] == "S256")
            #expect(asked["response_mode"] == nil)
            for secret in ["state", "nonce", "code_challenge"] { #expect(asked[secret]?.utf8.count == 43) }
            let cookie = try #require(begun.headers[values: .setCookie].first { $0.contains("-federated=") })
            #expect(cookie.hasPrefix("ward-federated=") && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
            for value in ["state", "nonce"] { #expect(!cookie.contains(asked[value] ?? "-")) }
            let answer = provider.code(for: location, at: world.effects.now)
            #expect(try await ada.bring(answer)["unknown", "label"] == "ada@example.com")
            let authorization = provider.with { $0.authorization }
            // RFC 6749, section 2.3.1: encoded as in a form first.
            let pair = Base64.encode(Array("\(TokenMaker.clientID):s3cret%26more".utf8))
            #expect(authorization == "Basic \(pair)")
            #expect(provider.with { $0.form["client_secret"] } == nil)
            #expect(try await ada.post("sign-in/federated", ["provider": "other"]).refusal == "404 not_found")
        }
    }

    @Test func `makes an account that it opens from then on`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            let unknown = try await ada.signIn(at: provider, world)
            #expect(unknown["unknown", "provider"] == "example" && ada.cookie == nil)
            let body: JSONValue = ["username": "ada", "displayName": "Ada"]
            #expect(try await world.visitor().post("sign-in/federated/account", body).refusal == "403 flow_not_valid")
            let created = try await ada.post("sign-in/federated/account", body)
            #expect(created.status == .created && created["account", "displayName"] == "Ada")
            #expect(ada.federated == nil)
            let account = try await ada.get("account")
            #expect(account["hasPassword"] == false)
            #expect(account["factors", "federated"]?.arrayValue?.first?["label"] == "ada@example.com")

            let elsewhere = world.visitor()
            let signedIn = try await elsewhere.signIn(at: provider, world)
            #expect(signedIn["account", "username"] == "ada" && signedIn["hasPasskey"] == false)
            #expect(elsewhere.federated == nil)
            let sessions = try await elsewhere.get("account/sessions")["sessions"]?.arrayValue ?? []
            #expect(sessions.count == 2 && sessions.allSatisfy { $0["method"] == "federated" })
            let events = try await elsewhere.get("account/activity")["activity"]?.arrayValue ?? []
            #expect(events.last?["event"] == "account_created" && events.last?["method"] == "federated")
            // It is a sign-in like one with a password: it may add a passkey.
            #expect(try await elsewhere.register().status == .created)
            #expect(try await elsewhere.passkeys().count == 1)
        }
    }

    @Test func `opens nothing alone where a rule asks everybody for a passkey`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "ward-rules-\(UUID()).json")
        try Data("{\"rules\": [{\"require\": \"passkey\"}]}".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = ServerConfiguration()
        configuration.policy = file.path
        let provider = FakeProvider()
        try await provider.run(configuration) { world in
            let ada = world.visitor()
            _ = try await ada.signIn(at: provider, world)
            let made = try await ada.post("sign-in/federated/account", ["username": "ada"])
            #expect(made.status == .created && made["next"] == [["method": "new_passkey"]] && ada.cookie == nil)
            let again = world.visitor()
            #expect(try await again.signIn(at: provider, world)["next"] == [["method": "new_passkey"]])
            let start = try await again.beginRegistration(["flow": try #require(made["flow"])])
            let passkey = try again.authenticator.create(start.options)
            #expect(try await again.finishRegistration(start.ceremony, passkey).status == .created)
            #expect(try await world.visitor().signIn(at: provider, world)["next"] == [["method": "passkey"]])
        }
    }

    @Test func `finds no account by its e-mail address or its name`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let owner = world.visitor()
            try await owner.create("ada")
            #expect(try await owner.signIn(at: provider, world, linking: true)["linked"] == true)
            // Somebody else whom the provider calls by the same address.
            provider.with { $0.subject = "eve" }
            let eve = world.visitor()
            #expect(try await eve.signIn(at: provider, world)["unknown"] != nil)
            #expect(eve.cookie == nil)
            let taken = try await eve.post("sign-in/federated/account", ["username": "ada"])
            #expect(taken.refusal == "409 username_taken")
            #expect(try await eve.post("sign-in/federated/account", ["username": "eve"]).status == .created)
            #expect(try await eve.get("account")["account", "username"] == "eve")
        }
    }

    @Test func `is linked only with a recent proof, by the session that began it`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            #expect(try await ada.post("account/federated", ["provider": "example"]).refusal == "401 not_signed_in")
            try await ada.create("ada")
            world.effects.advance(by: 299)
            let visit = try await ada.visit(provider, at: world, linking: true)
            // The proof was recent when it began; a person takes some time at the provider.
            world.effects.advance(by: 200)
            #expect(
                try await ada.post("account/federated", ["provider": "example"]).refusal
                    == "403 recent_sign_in_required"
            )
            let now = world.effects.now
            provider.with { $0.now = now }
            #expect(try await ada.bring(visit)["linked"] == true)
            let links = try await ada.get("account")["factors", "federated"]?.arrayValue ?? []
            #expect(links.count == 1 && links[0]["issuer"] == .string(FakeProvider.issuer))
            let events = try await ada.get("account/activity")["activity"]?.arrayValue ?? []
            #expect(events.first?["event"] == "identity_linked")

            // Another session of the same account, in the same browser, does not complete it.
            try await ada.signIn("ada", password: Visitor.password)
            provider.with { $0.subject = "second" }
            let begun = try await ada.visit(provider, at: world, linking: true)
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.bring(begun).refusal == "403 flow_not_valid")
            let signedOut = try await ada.visit(provider, at: world, linking: true)
            ada.cookie = nil
            #expect(try await ada.bring(signedOut).refusal == "401 not_signed_in")
        }
    }

    @Test func `is linked to one account only`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.create("ada")
            try await eve.create("eve")
            #expect(try await ada.signIn(at: provider, world, linking: true)["linked"] == true)
            #expect(try await ada.signIn(at: provider, world, linking: true)["linked"] == true, "once more")
            #expect(try await eve.signIn(at: provider, world, linking: true).refusal == "409 identity_taken")
            #expect(try await eve.get("account")["factors", "federated"] == [])
        }
    }

    @Test func `is unlinked with its sessions, but not if nothing else signs in`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            _ = try await ada.signIn(at: provider, world)
            try await ada.post("sign-in/federated/account", ["username": "ada"])
            let links = try await ada.get("account")["factors", "federated"]?.arrayValue ?? []
            let id = try #require(links.first?["id"]?.stringValue)
            #expect(try await ada.delete("account/federated/\(id)").refusal == "409 last_way_in")
            #expect(try await ada.delete("account/federated/AAAA").refusal == "404 not_found")
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            let elsewhere = world.visitor()
            _ = try await elsewhere.signIn(at: provider, world)
            #expect(try await elsewhere.isSignedIn())
            #expect(try await ada.delete("account/federated/\(id)").status == .noContent)
            #expect(try await ada.isSignedIn())
            #expect(try await !elsewhere.isSignedIn())
            #expect(try await world.visitor().signIn(at: provider, world)["unknown"] != nil)
            #expect(
                try await ada.get("account/activity")["activity"]?.arrayValue?.first?["event"] == "identity_unlinked"
            )
        }
    }

    @Test func `is one factor: the account's second step follows, and not once it is unlinked`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            _ = try await ada.signIn(at: provider, world)
            try await ada.post("sign-in/federated/account", ["username": "ada"])
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 30)
            let browser = world.visitor()
            let begun = try await browser.signIn(at: provider, world)
            #expect(begun["next"] == [["method": "authenticator_app"]] && browser.cookie == nil)
            let flow = try #require(begun["flow"]?.stringValue)
            let wrong = app.wrongCode(at: world.effects.now)
            #expect(try await browser.answer(flow, wrong).refusal == "401 code_wrong")
            let done = try await browser.answer(flow, app.code(at: world.effects.now))
            #expect(done["account", "username"] == "ada")
            let sessions = try await browser.get("account/sessions")["sessions"]?.arrayValue ?? []
            let current = sessions.first { $0["current"] == true }
            #expect(current?["method"] == "federated" && current?["secondFactor"] == "authenticator_app")

            // A flow that began with a link is over when the link is removed.
            world.effects.advance(by: 30)
            let other = try await world.visitor().signIn(at: provider, world)
            try await browser.put("account/password", ["password": .string(Visitor.password)])
            let links = try await browser.get("account")["factors", "federated"]?.arrayValue ?? []
            let id = try #require(links.first?["id"]?.stringValue)
            #expect(try await browser.delete("account/federated/\(id)").status == .noContent)
            let text = try #require(other["flow"]?.stringValue)
            let late = try await world.visitor().answer(text, app.code(at: world.effects.now))
            #expect(late.refusal == "403 flow_not_valid")
        }
    }

    @Test func `of an account with a passkey that works is not enough for a change`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let ada = world.visitor()
            try await ada.register("ada")
            #expect(try await ada.signIn(at: provider, world, linking: true)["linked"] == true)
            let thief = world.visitor()
            #expect(try await thief.signIn(at: provider, world)["account", "username"] == "ada")
            #expect(
                try await thief.put("account/password", ["password": .string(Visitor.password)]).refusal
                    == "403 passkey_sign_in_required"
            )
            #expect(
                try await thief.post("account/federated", ["provider": "example"]).refusal
                    == "403 passkey_sign_in_required"
            )
        }
    }

    @Test func `makes no account where the service takes none`() async throws {
        var configuration = ServerConfiguration()
        configuration.registration = .closed
        let provider = FakeProvider()
        try await provider.run(configuration) { world in
            let ada = world.visitor()
            #expect(try await ada.signIn(at: provider, world)["unknown"] != nil)
            let refused = try await ada.post("sign-in/federated/account", ["username": "ada"])
            #expect(refused.refusal == "403 registration_closed")
        }
    }
}
