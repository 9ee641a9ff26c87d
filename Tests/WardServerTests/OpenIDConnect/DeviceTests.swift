import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// Devices without a browser: RFC 8628.
@Suite struct `A device without a browser` {
    /// The client that may use codes: public, without a redirect URI.
    private static func television(_ world: ServiceFixture, _ store: MemoryAccountStore) async throws -> ClientFixture {
        try await store.write { tx in
            try tx.insert(
                OAuthClient(
                    id: "tv",
                    name: "The <b>television</b>",
                    secretHash: nil,
                    redirectURIs: [],
                    allowsDevices: true,
                    createdAt: 0
                )
            )
        }
        return ClientFixture(world: world, id: "tv", secret: nil)
    }

    private static func withTelevision(
        tryLimits: Limits = .standard,
        trustedProxies: [String] = [],
        _ body: @escaping @Sendable (ServiceFixture, MemoryAccountStore, ClientFixture) async throws -> Void
    ) async throws {
        try await withProvider(tryLimits: tryLimits, trustedProxies: trustedProxies) { world, store in
            try await body(world, store, try await television(world, store))
        }
    }

    @Test func `shows a code, waits, and has tokens when a person has allowed it`() async throws {
        try await Self.withTelevision { world, store, tv in
            let ada = try await world.person()
            world.effects.advance(by: 7)
            let begun = try await tv.beginDevice(["scope": "openid profile offline_access unknown"])
            #expect(begun.status == .ok, "\(begun.text)")
            #expect(begun.headers[.cacheControl] == "no-store")
            let code = try #require(begun.text("user_code"))
            #expect(code.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
            let place = "\(ClientFixture.issuer)/device"
            #expect(begun.text("verification_uri") == place)
            #expect(begun.text("verification_uri_complete") == "\(place)?user_code=\(code)")
            #expect(begun["expires_in"] == 600 && begun["interval"] == 5)
            #expect(begun.text("device_code")?.utf8.count == 43)
            #expect(try await tv.poll(begun).failure == "400 authorization_pending")

            let page = try await ada.get("/device?user_code=\(code)")
            #expect(page.text.contains("The &lt;b&gt;television&lt;/b&gt;") && page.text.contains(code))
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(try await ada.answerDevice(code, true).status == .noContent)
            world.effects.advance(by: 5)
            let answer = try await tv.poll(begun)
            #expect(answer.status == .ok && answer["scope"] == "openid profile offline_access", "\(answer.text)")
            let claims = try await tv.claims(answer)
            #expect(claims["aud"] == "tv" && claims["acr"] == "phr" && claims["nonce"] == nil)
            #expect(claims["auth_time"] == .integer(world.effects.now - 12))
            #expect(try await tv.userInfo(answer.text("access_token"))["preferred_username"] == "ada")
            #expect(try await tv.refresh(answer.text("refresh_token")).status == .ok)
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(events.contains(.deviceAllowed) && events.contains(.clientSignedIn))
        }
    }

    @Test func `is told that the person refused, each time it asks`() async throws {
        try await Self.withTelevision { world, store, tv in
            let (ada, begun) = (try await world.person(), try await tv.beginDevice())
            #expect(try await ada.answerDevice(begun.text("user_code"), false).status == .noContent)
            #expect(try await ada.answerDevice(begun.text("user_code"), true).code == "user_code_not_valid")
            for _ in 0..<2 {
                #expect(try await tv.poll(begun).failure == "400 access_denied")
                world.effects.advance(by: 5)
            }
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(events.contains(.deviceRefused) && !events.contains(.clientSignedIn))
        }
    }

    @Test func `must slow down if it asks too often, by five more seconds each time`() async throws {
        try await Self.withTelevision { world, _, tv in
            let (ada, begun) = (try await world.person(), try await tv.beginDevice())
            #expect(try await tv.poll(begun).failure == "400 authorization_pending")
            world.effects.advance(by: 4)
            #expect(try await tv.poll(begun).failure == "400 slow_down")
            world.effects.advance(by: 9)
            #expect(try await tv.poll(begun).failure == "400 slow_down", "10 seconds now")
            _ = try await ada.answerDevice(begun.text("user_code"), true)
            world.effects.advance(by: 14)
            #expect(try await tv.poll(begun).failure == "400 slow_down", "15, although the person has answered")
            world.effects.advance(by: 20)
            #expect(try await tv.poll(begun).status == .ok)
        }
    }

    @Test func `has ten minutes`() async throws {
        try await Self.withTelevision { world, store, tv in
            let (ada, begun) = (try await world.person(), try await tv.beginDevice())
            world.effects.advance(by: 599)
            #expect(try await tv.poll(begun).failure == "400 authorization_pending")
            _ = try await ada.answerDevice(begun.text("user_code"), true)
            let late = try await tv.beginDevice()
            world.effects.advance(by: 1)
            #expect(try await tv.poll(begun).failure == "400 expired_token", "also if a person has allowed it")
            world.effects.advance(by: 599)
            #expect(try await ada.answerDevice(late.text("user_code"), true).code == "user_code_not_valid")
            let now = world.effects.now
            try await Sweeping.sweep(store, at: now + 3_000)
            #expect(try await tv.poll(late).failure == "400 expired_token")
            try await Sweeping.sweep(store, at: now + 3_601)
            #expect(try await tv.poll(late).failure == "400 invalid_grant")
        }
    }

    @Test func `uses its code once, and a second use ends what the first one gave`() async throws {
        try await Self.withTelevision { world, store, tv in
            let ada = try await world.person()
            let (begun, tokens) = try await tv.enterDevice(ada)
            #expect(try await ada.otherSessions().count == 1)
            var other = tv
            other.id = "cli"
            #expect(try await other.poll(begun).failure == "400 unauthorized_client")
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .ok)
            #expect(try await tv.poll(begun).failure == "400 invalid_grant")
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .unauthorized)
            #expect(try await tv.refresh(tokens.text("refresh_token")).failure == "400 invalid_grant")
            #expect(try await ada.otherSessions().isEmpty)
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(events.contains(.grantReused))
        }
    }

    /// Gives the wiki, a client with a secret and a redirect URI, the device grant too, or takes it away.
    private static func wiki(
        _ world: ServiceFixture,
        _ store: MemoryAccountStore,
        allowsDevices: Bool = true
    ) async throws -> ClientFixture {
        try await store.write { tx in
            var wiki = try #require(try tx.oauthClient(id: "wiki"))
            wiki.allowsDevices = allowsDevices
            try tx.update(wiki)
        }
        return ClientFixture(world: world)
    }

    @Test func `loses nothing when another client of devices uses its code`() async throws {
        try await Self.withTelevision { world, store, tv in
            let wiki = try await Self.wiki(world, store)
            let (begun, tokens) = try await tv.enterDevice(world.person())
            #expect(try await wiki.poll(begun).failure == "400 invalid_grant")
            #expect(try await tv.refresh(tokens.text("refresh_token")).status == .ok)
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(!events.contains(.grantReused))
        }
    }

    @Test func `has codes that are no codes of a browser, and the other way round`() async throws {
        try await Self.withTelevision { world, store, _ in
            let (ada, wiki) = (try await world.person(), try await Self.wiki(world, store))
            let code = try await wiki.code(ada, ["scope": "openid offline_access"])
            let device: [String: String?] = ["grant_type": ClientFixture.deviceGrant, "device_code": code]
            #expect(try await wiki.call("/oidc/token", device).failure == "400 invalid_grant")
            let tokens = try await wiki.redeem(code)
            #expect(tokens.status == .ok, "it was not used up")
            #expect(try await wiki.call("/oidc/token", device).failure == "400 invalid_grant")
            #expect(try await wiki.refresh(tokens.text("refresh_token")).status == .ok)
            let begun = try await wiki.beginDevice()
            _ = try await ada.answerDevice(begun.text("user_code"), true)
            for uri in ["", wiki.redirectURI] {
                let answer = try await wiki.redeem(begun.text("device_code") ?? "", ["redirect_uri": uri])
                #expect(answer.failure == "400 invalid_grant")
            }
            #expect(try await wiki.poll(begun).status == .ok)
        }
    }

    @Test func `gets nothing after its client may sign in devices no longer`() async throws {
        try await Self.withTelevision { world, store, _ in
            let (ada, wiki) = (try await world.person(), try await Self.wiki(world, store))
            let (asked, allowed) = (try await wiki.beginDevice(), try await wiki.beginDevice())
            let code = asked.text("user_code") ?? ""
            #expect(try await ada.get("/device?user_code=\(code)").text.contains("The wiki"))
            #expect(try await ada.answerDevice(allowed.text("user_code"), true).status == .noContent)
            _ = try await Self.wiki(world, store, allowsDevices: false)
            #expect(try await !ada.get("/device?user_code=\(code)").text.contains("The wiki"))
            #expect(try await ada.answerDevice(code, true).code == "user_code_not_valid")
            #expect(try await wiki.poll(allowed).failure == "400 unauthorized_client")
            #expect(try await ada.otherSessions().isEmpty)
        }
    }

    @Test func `need not wait for a poll of the future, after the clock was wrong`() async throws {
        try await Self.withTelevision { world, _, tv in
            let begun = try await tv.beginDevice()
            world.effects.advance(by: 10)
            #expect(try await tv.poll(begun).failure == "400 authorization_pending")
            world.effects.advance(by: -8)
            #expect(try await tv.poll(begun).failure == "400 authorization_pending")
        }
    }

    @Test func `has a session that ends with the passkey of the person who allowed it`() async throws {
        try await Self.withTelevision { world, _, tv in
            let ada = try await world.person()
            let passkey = try #require(try await ada.passkeys().first)
            let (_, tokens) = try await tv.enterDevice(ada)
            ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
            #expect(try await ada.register().status == .created)
            // Another passkey may go.
            let second = try #require(try await ada.passkeys().first { $0 != passkey })
            #expect(try await ada.delete("account/passkeys/\(second)").status == .noContent)
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .ok)
            ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
            #expect(try await ada.register().status == .created)
            #expect(try await ada.delete("account/passkeys/\(passkey)").status == .noContent)
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .unauthorized)
            #expect(try await tv.refresh(tokens.text("refresh_token")).failure == "400 invalid_grant")
        }
    }

    @Test func `is one of a hundred sessions of an account at most`() async throws {
        try await Self.withTelevision { world, store, tv in
            let ada = try await world.person()
            for _ in 0...SessionLimits.perAccount {
                _ = try await tv.enterDevice(ada, scope: "openid")
                // The oldest session ends first, so the person signs in again where it was the browser's.
                if try await !ada.isSignedIn() { try await ada.signIn() }
            }
            let account = try #require(try await store.read { try $0.accounts(limit: 1).first })
            let sessions = try await store.read { try $0.sessions(of: account.id).count }
            #expect(sessions == SessionLimits.perAccount)
        }
    }

    @Test func `has a session of its own, which the person sees and ends`() async throws {
        try await Self.withTelevision { world, _, tv in
            let ada = try await world.person()
            let (_, tokens) = try await tv.enterDevice(ada)
            let listed = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
            let device = try #require(listed.first { $0["current"] == false })
            #expect(device["device"] == "The <b>television</b>" && device["userAgent"] == "")
            #expect(listed.first { $0["current"] == true }?["device"] == .null)
            try await ada.post("sign-out")
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .ok, "a browser is not the device")
            try await ada.signIn()
            let id = try #require(device["id"]?.stringValue)
            #expect(try await ada.delete("account/sessions/\(id)").status == .noContent)
            #expect(try await tv.userInfo(tokens.text("access_token")).status == .unauthorized)
            #expect(try await tv.refresh(tokens.text("refresh_token")).failure == "400 invalid_grant")
        }
    }

    @Test func `has a session as long as its tokens, and none after it ended them`() async throws {
        try await Self.withTelevision { world, _, tv in
            let ada = try await world.person()
            let (_, tokens) = try await tv.enterDevice(ada)
            #expect(try await tv.call("/oidc/revoke", ["token": tokens.text("refresh_token")]).status == .ok)
            #expect(try await ada.otherSessions().isEmpty)
            _ = try await tv.enterDevice(ada, scope: "openid")
            #expect(try await ada.otherSessions().count == 1)
            world.effects.advance(by: 600)
            #expect(try await ada.otherSessions().isEmpty)
        }
    }

    @Test func `gets nothing if the session that allowed it has ended`() async throws {
        try await Self.withTelevision { world, _, tv in
            let (ada, begun) = (try await world.person(), try await tv.beginDevice())
            _ = try await ada.answerDevice(begun.text("user_code"), true)
            try await ada.post("sign-out")
            #expect(try await tv.poll(begun).failure == "400 invalid_grant")
        }
    }

    @Test func `asks only as a client that may, with its secret, and in the form of OAuth`() async throws {
        try await Self.withTelevision { world, store, tv in
            #expect(try await ClientFixture(world: world).beginDevice().failure == "400 unauthorized_client")
            #expect(try await tv.beginDevice(["client_id": "nobody"]).failure == "401 invalid_client")
            #expect(try await tv.beginDevice(["scope": "profile"]).failure == "400 invalid_scope")
            #expect(try await tv.beginDevice(["scope": "", "unknown": "1"]).status == .ok, "empty counts as absent")
            let twice = "client_id=tv&scope=openid&scope=openid"
            let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let answer = try await world.visitor().send(.post, "/oidc/device_authorization", Array(twice.utf8), headers)
            #expect(answer.failure == "400 invalid_request")
            for wrong in [nil, "x", ClientFixture.secret.text] {
                let fields: [String: String?] = ["grant_type": ClientFixture.deviceGrant, "device_code": wrong]
                let expected = wrong == nil ? "400 invalid_request" : "400 invalid_grant"
                #expect(try await tv.call("/oidc/token", fields).failure == expected)
            }
            // A confidential client needs its secret at both endpoints.
            try await store.write { tx in
                var wiki = try #require(try tx.oauthClient(id: "wiki"))
                wiki.allowsDevices = true
                try tx.update(wiki)
            }
            let wiki = ClientFixture(world: world)
            var thief = wiki
            thief.secret = nil
            #expect(try await thief.beginDevice().failure == "401 invalid_client")
            let begun = try await wiki.beginDevice()
            #expect(try await thief.poll(begun).failure == "401 invalid_client")
            #expect(try await wiki.poll(begun).failure == "400 authorization_pending")
            #expect(try await tv.poll(begun).failure == "400 invalid_grant", "another client's")
        }
    }

    @Test func `leaves no code in the store`() async throws {
        try await Self.withTelevision { _, store, tv in
            let begun = try await tv.beginDevice()
            let (device, user) = (try #require(begun.text("device_code")), try #require(begun.text("user_code")))
            let hash = try #require(SessionToken(text: device)).hash
            let stored = try #require(try await store.read { try $0.deviceAuthorization(deviceHash: hash) })
            let letters = Array(user.utf8.filter { $0 != UInt8(ascii: "-") })
            for bytes in [stored.deviceHash, stored.userHash] {
                #expect(bytes.count == 32 && bytes != Base64URL.decode(device) && !bytes.starts(with: letters))
            }
        }
    }

    @Test func `is limited by its address and its client`() async throws {
        var limits = Limits()
        limits.devices = .rate(atOnce: 2, perHour: 1)
        limits.devicesOfClient = .rate(atOnce: 4, perHour: 1)
        try await Self.withTelevision(tryLimits: limits, trustedProxies: ["unix"]) { _, _, tv async throws in
            func begin(at address: String) async throws -> HTTPResponse.Status {
                var device = tv
                device.address = address
                return try await device.beginDevice().status
            }
            for address in ["192.0.2.1", "192.0.2.2"] {
                for _ in 0..<2 { #expect(try await begin(at: address) == .ok) }
                #expect(try await begin(at: address) == .tooManyRequests)
            }
            #expect(try await begin(at: "192.0.2.3") == .tooManyRequests, "all addresses together")
        }
    }
}

extension ClientFixture {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    func beginDevice(_ fields: [String: String?] = ["scope": "openid"]) async throws -> Answer {
        try await call("/oidc/device_authorization", fields)
    }

    func poll(_ begun: Answer) async throws -> Answer {
        try await call("/oidc/token", ["grant_type": Self.deviceGrant, "device_code": begun.text("device_code")])
    }

    /// The whole way of a device; the answer of the device authorization endpoint, and the tokens.
    func enterDevice(
        _ person: Visitor,
        scope: String = "openid profile offline_access"
    ) async throws -> (begun: Answer, tokens: Answer) {
        let begun = try await beginDevice(["scope": scope])
        #expect(try await person.answerDevice(begun.text("user_code"), true).status == .noContent)
        let tokens = try await poll(begun)
        #expect(tokens.status == .ok, "\(tokens.text)")
        return (begun, tokens)
    }
}

extension Visitor {
    func answerDevice(_ code: String?, _ allow: Bool) async throws -> Answer {
        try await post("device", ["userCode": .string(code ?? ""), "allow": .bool(allow)])
    }
}
