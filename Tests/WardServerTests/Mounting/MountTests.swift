import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `Ward's routes in an application` {
    // MARK: Whose path it is

    @Test func `each has its own paths`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            // The application had its home page before, and adds a page afterwards whose path Ward has.
            let home = try await ada.get("/")
            #expect(home.text == "home")
            #expect(try await ada.get("/account").headers[.location] == "/")
            #expect(try await ada.get("/upload").status == .notFound)
            #expect(try await ada.get("/nothing").text.isEmpty, "the page for it is the application's")
            #expect(try await ada.post("account/nothing").text.isEmpty)
            #expect(try await ada.get("/healthz")["status"] == "ok")
            #expect(try await ada.get("/api/v1/sign-in/options").refusal == "405 method_not_allowed")
        }
    }

    @Test func `what the edge adds is in answers of Ward, and in no others`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            let identifier = try #require(HTTPField.Name("X-Request-ID"))
            for (path, isWards) in [
                ("/recover", true), ("/healthz", true), ("/", false), ("/who", false), ("/x", false),
            ] {
                let headers = try await ada.get(path).headers
                for name in [identifier, .contentSecurityPolicy, .cacheControl, .xContentTypeOptions] {
                    #expect(headers.contains(name) == isWards, "\(path): \(name)")
                }
            }
        }
    }

    @Test func `bodies are small for Ward, and as large as the application takes elsewhere`() async throws {
        try await withApplication { world in
            let (ada, large) = (world.visitor(), [UInt8](repeating: 0x20, count: 65_537))
            let refused = try await ada.send(.post, "sign-in/options", large)
            #expect(refused.refusal == "413 body_too_large")
            #expect(try await ada.send(.post, "/upload", large).text == "65537 bytes")
        }
    }

    @Test func `Ward asks for the origin on its own paths alone`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            ada.origin = "https://evil.example"
            let refused = try await ada.post("sign-in/options")
            #expect(refused.refusal == "403 origin_not_allowed")
            #expect(try await ada.send(.post, "/upload", []).text == "0 bytes")
        }
    }

    @Test func `the address of a client behind a proxy is known`() async throws {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = ["127.0.0.1"]
        configuration.auditsAddresses = true
        try await withApplication(configuration) { world in
            let ada = world.visitor()
            ada.forwardedFor = "192.0.2.7"
            try await ada.register("ada")
            let sessions = try await ada.get("account/sessions")["sessions"]?.arrayValue
            #expect(sessions?.first?["address"] == "192.0.2.7")
        }
    }

    // MARK: Who is signed in

    @Test func `nobody is sent to sign in, and comes back`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            let sent = try await ada.get("/who")
            #expect(sent.status == .found)
            let address = try #require(sent.headers[.location])
            #expect(address == "/continue?return_to=%2Fwho%3Fa%3D1%26b%3D2")
            let page = try await ada.get(address)
            #expect(page.text.contains("data-testid=\"sign-in\""))
            try await ada.register("ada")
            let back = try await ada.get(address)
            #expect((back.status, back.headers[.location]) == (.found, "/who?a=1&b=2"))
        }
    }

    @Test(arguments: [
        "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example/", "evil.example", "", "/a b",
        "/\u{e9}", "/\t/evil.example", "/" + String(repeating: "a", count: 2_048),
    ])
    func `a page of another host is none to come back to`(place: String) async throws {
        try await withApplication { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let escaped = place.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let answer = try await ada.get("/continue?return_to=\(escaped)")
            #expect(answer.status == .forbidden && answer.headers[.location] == nil, "\(answer.text)")
        }
    }

    @Test func `a passkey is one method, the password another`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            let answer = try await ada.register("ada")
            var who = try await ada.get("/who")
            #expect(who["account"] == answer["account", "id"])
            #expect(who["username"] == "ada" && who["displayName"] == "ada")
            #expect(who["authenticatedAt"] == .integer(world.effects.now))
            #expect(who["methods"] == ["passkey"] && who["userVerified"] == true)
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            world.effects.advance(by: 20)
            try await ada.signIn("ada", password: Visitor.password)
            who = try await ada.get("/who")
            #expect(who["methods"] == ["passkey", "password"] && who["userVerified"] == true)
            #expect(who["authenticatedAt"] == .integer(world.effects.now))
            // The passkey was used too long ago to belong to this sign-in.
            world.effects.advance(by: 600)
            try await ada.signIn("ada", password: Visitor.password)
            who = try await ada.get("/who")
            #expect(who["methods"] == ["password"] && who["userVerified"] == false)
        }
    }

    @Test func `a device that verifies nobody says so`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.authenticator.behaviour.isUserVerified = false
            try await ada.signIn()
            let who = try await ada.get("/who")
            #expect(who["methods"] == ["passkey"] && who["userVerified"] == false)
        }
    }

    @Test func `the groups are those of now`() async throws {
        let store = MemoryAccountStore()
        try await withApplication(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let who = try await ada.get("/who")
            #expect(who["groups"] == [])
            let id = try #require(who["account"]?.stringValue.flatMap { AccountID(text: $0) })
            let groups = try ["admins", "staff"].map { try GroupName($0) }
            try await store.write { tx in _ = try tx.setAccount(id: id, groups: groups) }
            #expect(try await ada.get("/who")["groups"] == ["admins", "staff"])
        }
    }

    @Test func `a session that has ended is none`() async throws {
        try await withApplication { world in
            let (ada, thief) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            thief.cookie = ada.cookie
            #expect(try await thief.get("/who").status == .ok)
            try await ada.post("sign-out")
            #expect(try await thief.get("/who").status == .found)
            thief.cookie = "ward=\(String(repeating: "A", count: 43))"
            #expect(try await thief.get("/who").status == .found)
        }
    }

    @Test func `a session stays as long as it is used in the application alone`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for _ in 0..<4 {
                world.effects.advance(by: 10 * 86_400)
                #expect(try await ada.get("/who").status == .ok)
            }
            world.effects.advance(by: 15 * 86_400)
            #expect(try await ada.get("/who").status == .found)
        }
    }

    @Test func `a session that is bound to a device needs the proof`() async throws {
        try await withApplication(.secure) { world in
            let (ada, thief) = (world.visitor(), world.visitor())
            try await ada.bind(DeviceKey(), after: ada.register("ada"), in: world)
            #expect(try await ada.get("/who").status == .ok)
            thief.cookie = ada.cookie
            #expect(try await thief.get("/who").status == .found)
            // A browser with the key proves that it has it on the way to the sign-in page, without the person.
            let page = try await thief.get("/continue?return_to=%2Fwho")
            #expect(page.text.contains("data-testid=\"renewal\""))
        }
    }

    @Test func `a form of another page signs nobody in`() async throws {
        try await withApplication { world in
            let ada = world.visitor()
            try await ada.register("ada")
            #expect(try await ada.send(.post, "/who", []).status == .ok)
            for origin in ["https://evil.example", "null", nil] {
                ada.origin = origin
                #expect(try await ada.send(.post, "/who", []).status == .found)
                #expect(try await ada.get("/who").status == .ok)
            }
        }
    }

    @Test func `a client with a token of its own needs no origin`() async throws {
        try await withApplication { world in
            let (ada, client) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            client.origin = nil
            client.fields = [.authorization: "Bearer \(try #require(ada.cookie).dropFirst("ward=".count))"]
            #expect(try await client.send(.post, "/who", []).status == .ok)
        }
    }
}
