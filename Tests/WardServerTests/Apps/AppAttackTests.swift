import HTTPTypes
import Testing
import WardTesting
import WardText

/// A thief between an app, its people and the service.
@Suite struct `Somebody who wants into an app` {
    /// Addresses that look like one of the app, and are not.
    static let tricks = [
        "", "//evil.example", "///evil.example", "\\\\evil.example", "/\\evil.example", "https:evil.example",
        "https://evil.example", "https://evil.example/https://app.example.com/", "https://app.example.com",
        "https://app.example.com.evil.example/", "https://app.example.com@evil.example/",
        "https://app.example.com:443@evil.example/", "https://app.example.com:443/", "https://app.example.com:8443/",
        "https://wiki.example.com/", "https://wiki.example.com:84430/", "https://app.example.com\\@evil.example/",
        "https://app.example.com\\.evil.example/", "https://app.example.com%2eevil.example/",
        "https://app.example.com%2f@evil.example/", "https://app.example.com%00/",
        "https://app.example.com#@evil.example/",
        "https://app.example.com?@evil.example/", "http://app.example.com/", "HTTPS://app.example.com/",
        "https://APP.example.com/", "https://user@app.example.com/", "https://xapp.example.com/",
        "https://example.com/",
        "https://login.example.com/account", " https://app.example.com/", "https://app.example.com/ ",
        "\thttps://app.example.com/", "https://app.example.com/\r\nSet-Cookie:a=b", "https://app.example.com/\u{0}",
        "https://app.example.com/\\evil", "https://app.example.com./", "https://app.example.com/é",
        "javascript:alert(1)",
        "data:text/html,x", "https%3A%2F%2Fapp.example.com%2F",
        "https://app.example.com/" + String(repeating: "a", count: 2_048),
    ]

    @Test func `leads nobody to another place, however it is written`() async throws {
        try await withApps { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let browser = Base64URL.encode([UInt8](repeating: 1, count: 32))
            for trick in Self.tricks {
                let encoded = trick.utf8.map { "%" + Hex.encode([$0]) }.joined()
                let answer = try await ada.get("/continue?return_to=\(encoded)&browser=\(browser)")
                #expect(answer.status == .forbidden, "\(trick)")
                #expect(answer.headers[.location] == nil)
            }
            for query in ["", "?browser=\(browser)", "?return_to=https%3A%2F%2Fapp.example.com%2F"] {
                let answer = try await ada.get("/continue\(query)")
                #expect(answer.status == (query.contains("return_to") ? .badRequest : .forbidden), "\(query)")
            }
        }
    }

    @Test func `cannot use a code twice, late, at another host, or in another browser, and each try uses it up`()
        async throws
    {
        try await withApps { world in
            let ada = world.visitor()
            try await ada.register("ada")
            func refused(_ change: (inout AppBrowser, Int) async throws -> Void) async throws {
                let app = AppBrowser(world)
                let location = try await ada.code(app.begin())
                let path = String(location.dropFirst("https://app.example.com".count))
                var thief = app
                try await change(&thief, 0)
                let answer = try await thief.send(.get, path)
                #expect(answer.status == .forbidden)
                #expect(answer.headers[.location] == nil && answer.headers[.setCookie] == nil)
                #expect(try await app.send(.get, path).status == .forbidden, "it is used up")
                #expect(try await app.check().status == .unauthorized)
            }
            try await refused { app, _ in app.host = "wiki.example.com:8443" }
            try await refused { app, _ in app = AppBrowser(world) }
            try await refused { app, _ in
                app = AppBrowser(world)
                _ = try await app.begin()
            }
            try await refused { _, _ in world.effects.advance(by: 30) }
            try await refused { _, _ in world.effects.advance(by: -1) }

            let app = AppBrowser(world)
            let location = try await ada.code(app.begin())
            world.effects.advance(by: 29)
            #expect(try await app.take(location).status == .found, "until the last second")
            let thief = AppBrowser(world)
            _ = try await thief.begin()
            #expect(try await thief.take(location).status == .forbidden)
            #expect(try await app.take(location).status == .forbidden, "not even in the same browser")
            #expect(try await app.check().status == .ok, "which stays signed in")
        }
    }

    @Test func `cannot put a victim into a stranger's account`() async throws {
        try await withApps { world in
            let (mallory, hers) = (world.visitor(), AppBrowser(world))
            try await mallory.register("mallory")
            for hasBegun in [false, true] {
                let victim = AppBrowser(world)
                if hasBegun { _ = try await victim.begin() }
                let location = try await mallory.code(hers.begin())
                #expect(try await victim.take(location).status == .forbidden)
                #expect(try await victim.check().status == .unauthorized)
            }
        }
    }

    @Test func `cannot use a code after its session has ended`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            let location = try await ada.code(app.begin())
            try await ada.post("sign-out")
            #expect(try await app.take(location).status == .forbidden)
        }
    }

    @Test func `opens nothing at the service with what an app's host knows, and the other way round`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            let own = try #require(ada.cookie?.split(separator: "=").last)
            try await app.enter(as: ada)
            let token = try #require(app.token)
            #expect(token != own)
            let thief = world.visitor()
            thief.cookie = "__Host-ward=\(token)"
            #expect(try await thief.get("account").refusal == "401 not_signed_in")
            let other = AppBrowser(world, host: "wiki.example.com:8443")
            other.jar.cookie = "__Host-ward-app=\(token)"
            #expect(try await other.check().refusal == "401 not_signed_in")
            for value in [String(own), "begin.\(token)", "", "x"] {
                other.jar.cookie = "__Host-ward-app=\(value)"
                #expect(try await other.check().refusal == "401 not_signed_in", "\(value)")
            }
        }
    }

    @Test(arguments: ["sign-out", "session", "passkey", "account", "password"])
    func `is out as soon as the session has ended at the service`(ending: String) async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            var browser = ada
            if ending == "password" {
                try await ada.create("ada")
                browser = world.visitor()
                try await browser.signIn("ada", password: Visitor.password)
                try await ada.register()
                try await ada.signIn()
            } else {
                try await ada.register("ada")
            }
            let passkey = try #require(try await ada.passkeys().first)
            try await app.enter(as: browser)
            let phone = world.visitor()
            phone.cookie = ada.cookie
            try await phone.register()
            phone.cookie = nil
            try await phone.signIn()
            #expect(try await app.check().status == .ok)
            let answer: Answer
            switch ending {
            case "sign-out": answer = try await ada.post("sign-out")
            case "session": answer = try await phone.delete("account/sessions/\(try await phone.otherSessions()[0])")
            case "passkey": answer = try await phone.delete("account/passkeys/\(passkey)")
            case "password": answer = try await phone.put("account/password", ["password": "another good passphrase"])
            default: answer = try await phone.delete("account")
            }
            #expect(answer.status == .noContent)
            #expect(try await app.check().refusal == "401 not_signed_in")
        }
    }

    @Test func `signs nobody out from another page`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            try await app.enter(as: ada)
            for origin in [nil, "https://evil.example", "https://wiki.example.com:8443", "https://login.example.com"] {
                let more: HTTPFields = origin.map { [.origin: $0] } ?? [:]
                #expect(try await app.send(.post, "/.ward/sign-out", more).status == .forbidden)
            }
            #expect(try await app.check().status == .ok)
            let answer = try await app.send(.post, "/.ward/sign-out", [.origin: "https://app.example.com"])
            #expect(answer.status == .seeOther && answer.headers[.location] == "https://login.example.com/")
            #expect(app.jar.cookie == nil)
            #expect(try await !ada.isSignedIn(), "everywhere")
        }
    }

    @Test func `learns nothing where the proxy does not say exactly one known app`() async throws {
        try await withApps { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let app = AppBrowser(world)
            try await app.enter(as: ada)
            let host = try #require(HTTPField.Name("X-Forwarded-Host"))
            let proto = try #require(HTTPField.Name("X-Forwarded-Proto"))
            for name in [
                "evil.example", "app.example.com.evil.example", "app.example.com:8443", "app.example.com, evil.example",
                "app.example.com evil", "login.example.com", "", "app.example.com/", "wiki.example.com",
            ] {
                let answer = try await app.send(.get, "/api/v1/session", [host: name])
                #expect(answer.refusal == "403 app_not_allowed", "\(name)")
            }
            for name in ["app.example.com:443", "APP.example.com"] {
                #expect(try await app.send(.get, "/api/v1/session", [host: name]).status == .ok, "\(name)")
            }
            #expect(try await app.send(.get, "/api/v1/session", [proto: "http"]).refusal == "403 app_not_allowed")
            #expect(try await app.send(.get, "/api/v1/session", [proto: "wss"]).status == .ok)
            for scheme in ["", "ftp", "https,http", "HTTPS"] {
                let answer = try await app.send(.get, "/api/v1/session", [proto: scheme])
                #expect(answer.refusal == "400 malformed_request", "\(scheme)")
            }
            // The service's own session says nothing to a proxy.
            #expect(try await ada.get("session").refusal == "400 malformed_request")
        }
    }
}
