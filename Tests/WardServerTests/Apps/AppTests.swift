import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// People who use an app behind a proxy that asks the service.
@Suite struct `An app behind a proxy` {
    @Test func `is told who asks, once the person has signed in at the service and come back`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            #expect(try await app.check().refusal == "401 not_signed_in")
            let page = try await app.begin()
            #expect(page.hasPrefix("/continue?return_to=https%3A%2F%2Fapp.example.com%2Fpage%3Fx%3D1%26y%3D2&browser="))
            let signIn = try await ada.get(page)
            #expect(signIn.status == .ok && signIn.text.contains("<bdi>app.example.com</bdi>"))
            try await ada.register("Ada")
            let location = try await ada.code(page)
            #expect(location.hasPrefix("https://app.example.com/.ward/callback?code="))
            let back = try await app.take(location)
            #expect(back.status == .found)
            #expect(back.headers[.location] == "https://app.example.com/page?x=1&y=2")
            let cookie = try #require(app.jar.lastSetCookie)
            #expect(cookie.hasPrefix("__Host-ward-app="))
            #expect(cookie.hasSuffix("; Max-Age=7776000; Path=/; HttpOnly; SameSite=Lax; Secure"))
            let answer = try await app.check()
            #expect(answer.status == .ok && answer["username"] == "ada" && answer["displayName"] == "Ada")
            let account = try await ada.get("account")
            let names = ["Remote-User", "Remote-Name", "Remote-Id"].compactMap { HTTPField.Name($0) }
            #expect(names.map { answer.headers[$0] } == ["ada", "Ada", account["account", "id"]?.stringValue])
            // A page of the app for somebody who is signed in already needs no sign-in page.
            let wiki = AppBrowser(world, host: "wiki.example.com:8443")
            try await wiki.enter(as: ada)
            #expect(try await wiki.check()["username"] == "ada")
        }
    }

    @Test func `gets the groups of an account, and can be open to some groups only`() async throws {
        let store = MemoryAccountStore()
        try await withService(.withApps, store: store) { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            try await app.enter(as: ada)
            let field = try #require(HTTPField.Name("Remote-Groups"))
            let none = try await app.check()
            #expect(none.headers[field]?.isEmpty == true && none["groups"] == [])
            let (one, several) = (
                "/api/v1/session?group=admins", "/api/v1/session?sign_in=redirect&group=admins&group=staff"
            )
            #expect(try await app.send(.get, one).refusal == "403 group_required")
            let account = try #require(try await store.read { try $0.accounts(limit: 1) }.first)
            let groups = try ["guests", "staff"].map { try GroupName($0) }
            try await store.write { tx in _ = try tx.setAccount(id: account.id, groups: groups) }
            let answer = try await app.check()
            #expect(answer.headers[field] == "guests,staff" && answer["groups"] == ["guests", "staff"])
            #expect(try await app.send(.get, one).refusal == "403 group_required")
            #expect(try await app.send(.get, several).status == .ok)
            // A misspelt setting opens the app to nobody; and who is not signed in is not told about groups.
            #expect(try await app.send(.get, one + "&group=Admins").refusal == "400 malformed_request")
            #expect(try await app.send(.get, "/api/v1/session?group=").refusal == "400 malformed_request")
            #expect(try await AppBrowser(world).send(.get, one).refusal == "401 not_signed_in")
        }
    }

    @Test func `gets names in printable ASCII, and different ones for different people`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("%C3%A9lise")
            try await ada.patch("account", ["displayName": "Élise 100%"])
            try await app.enter(as: ada)
            let answer = try await app.check()
            let (user, name) = try (#require(HTTPField.Name("Remote-User")), #require(HTTPField.Name("Remote-Name")))
            #expect(answer.headers[user] == "%25c3%25a9lise")
            #expect(answer.headers[name] == "%C3%89lise 100%25")
        }
    }

    @Test func `sends people to sign in who open a page, and no script, no form and no image`() async throws {
        try await withApps { world in
            let app = AppBrowser(world)
            let (method, mode) = try (
                #require(HTTPField.Name("X-Forwarded-Method")), #require(HTTPField.Name("Sec-Fetch-Mode"))
            )
            for more: HTTPFields in [[method: "POST"], [mode: "cors"], [mode: "no-cors"], [.accept: "*/*"]] {
                let answer = try await app.send(.get, "/api/v1/session?sign_in=redirect", more)
                #expect(answer.refusal == "401 not_signed_in", "\(more)")
                #expect(app.jar.cookie == nil)
            }
            for more: HTTPFields in [[mode: "navigate"], [method: "HEAD"]] {
                #expect(try await app.send(.get, "/api/v1/session?sign_in=redirect", more).status == .found, "\(more)")
            }
            #expect(try await app.send(.get, "/api/v1/session?sign_in=other").refusal == "400 malformed_request")
        }
    }

    @Test func `lets two tabs that begin at once both arrive`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            let (one, other) = (try await app.begin(uri: "/one"), try await app.begin(uri: "/two"))
            let (first, second) = (try await ada.code(one), try await ada.code(other))
            #expect(try await app.take(first).headers[.location] == "https://app.example.com/one")
            #expect(try await app.take(second).headers[.location] == "https://app.example.com/two")
            #expect(try await app.check().status == .ok)
        }
    }

    @Test func `keeps the way back when the person changes the language`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            let page = try await app.begin()
            let html = try await ada.get(page).text
            #expect(html.contains(page.dropFirst("/continue".count).replacing("&", with: "&amp;") + "&amp;lang=ko"))
            #expect(try await ada.get(page + "&lang=ko").headers[.location] == page)
        }
    }

    @Test func `keeps the person's session alive`() async throws {
        try await withApps { world in
            let (app, ada) = (AppBrowser(world), world.visitor())
            try await ada.register("ada")
            try await app.enter(as: ada)
            for _ in 0..<4 {
                world.effects.advance(by: 10 * 86_400)
                #expect(try await app.check().status == .ok)
            }
            #expect(try await ada.isSignedIn())
            world.effects.advance(by: 15 * 86_400)
            #expect(try await app.check().refusal == "401 not_signed_in")
        }
    }

    @Test func `returns to its first page if the address cannot be kept`() async throws {
        try await withApps { world in
            for uri in [
                "", "page", "//a b", "/a\\b", "https://evil.example/", "/" + String(repeating: "a", count: 2_048),
            ] {
                let page = try await AppBrowser(world).begin(uri: uri)
                #expect(page.hasPrefix("/continue?return_to=https%3A%2F%2Fapp.example.com%2F&browser="), "\(uri)")
            }
        }
    }

    @Test(arguments: [
        ["https://login.example.com"], ["https://login.example.com:8443"],
        ["https://app.example.com", "https://app.example.com:1"],
        ["http://app.example.com"], ["https://app.example.com/"], ["https://*.example.com"], ["app.example.com"], [""],
        ["android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ])
    func `needs an origin of its own, at a host of its own`(origins: [String]) {
        var configuration = ServerConfiguration.withApps
        configuration.appOrigins = origins
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }

    @Test func `on one's own machine has a host below localhost, without https`() async throws {
        var configuration = ServerConfiguration()
        configuration.appOrigins = ["http://localhost:8081"]
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        configuration.appOrigins = ["http://app.localhost:8081"]
        try await withService(configuration) { world in
            let (app, ada) = (AppBrowser(world, host: "app.localhost:8081"), world.visitor())
            let proto = try #require(HTTPField.Name("X-Forwarded-Proto"))
            try await ada.register("ada")
            let sent = try await app.send(.get, "/api/v1/session?sign_in=redirect", [proto: "http"])
            let page = try #require(sent.headers[.location]).dropFirst("http://localhost:8080".count)
            let path = try await ada.code(String(page)).dropFirst("http://app.localhost:8081".count)
            #expect(try await app.send(.get, String(path), [proto: "http"]).status == .found)
            #expect(app.jar.cookie?.hasPrefix("ward-app=") == true)
            #expect(try await app.send(.get, "/api/v1/session", [proto: "http"]).status == .ok)
        }
    }
}
