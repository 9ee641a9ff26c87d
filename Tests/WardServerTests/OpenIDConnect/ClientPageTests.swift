import HTTPTypes
import Testing
import WardAccounts
import WardTesting

@Suite struct `A page of scripts that is a client` {
    private static let page = "https://page.example"
    private static let endpoints = ["token", "userinfo", "revoke", "device_authorization"].map { "/oidc/\($0)" }
    private let asks: HTTPFields = [
        .accessControlRequestMethod: "POST", .accessControlRequestHeaders: "authorization, content-type",
    ]

    private func withPage(
        _ uris: [String] = ["\(Self.page)/callback"],
        _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
    ) async throws {
        try await withProvider { world, store in
            try await store.write { tx in
                try tx.insert(
                    OAuthClient(
                        id: "page",
                        name: "The page",
                        secretHash: nil,
                        redirectURIs: uris,
                        postLogoutRedirectURIs: [],
                        isFirstParty: true,
                        createdAt: 0
                    )
                )
            }
            try await body(world)
        }
    }

    @Test(arguments: endpoints) func `may call what clients call, without cookies`(path: String) async throws {
        try await withPage { world in
            let page = world.visitor(at: Self.page)
            let asked = try await page.send(.options, path, nil, asks)
            #expect(asked.status == .noContent && asked.headers[.accessControlAllowOrigin] == Self.page)
            #expect(asked.headers[.accessControlAllowHeaders] == "Authorization, Content-Type")
            #expect(asked.headers[.accessControlAllowMethods] == "GET, POST" && asked.headers[.vary] == "Origin")
            // It reads refusals too.
            let refused = try await page.send(.post, path, Array("token=x".utf8))
            #expect(refused.status.code >= 400 && refused.headers[.accessControlAllowOrigin] == Self.page)
            #expect(refused.headers[.accessControlExposeHeaders]?.contains("WWW-Authenticate") == true)
            for answer in [asked, refused] { #expect(answer.headers[.accessControlAllowCredentials] == nil) }
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://page.example", "https://page.example.evil.example",
        "https://page.example:8443", "https://login.example.com",
        // Clients with a secret have a server of their own.
        "https://wiki.example.com",
        // Any port of a loopback address is for native apps.
        "http://127.0.0.1:5173",
    ])
    func `must be at an origin of its client's`(origin: String) async throws {
        try await withPage { world in
            let page = world.visitor(at: origin)
            for path in Self.endpoints {
                let asked = try await page.send(.options, path, nil, asks)
                let answer = try await page.send(.post, path, Array("token=x".utf8))
                #expect(asked.status == .methodNotAllowed && answer.headers[.vary] == "Origin")
                for answer in [asked, answer] {
                    #expect(answer.headers[.accessControlAllowOrigin] == nil)
                    #expect(answer.headers[.accessControlExposeHeaders] == nil)
                }
            }
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:5173/callback", "http://127.0.0.1:5173"), ("http://127.0.0.1:80/a", "http://127.0.0.1"),
        ("http://[::1]:3000?a=b", "http://[::1]:3000"), ("http://localhost:3000/", "http://localhost:3000"),
        ("https://page.example:8443?a=/b", "https://page.example:8443"),
    ])
    func `has the origin of a redirect URI`(uri: String, origin: String) async throws {
        try await withPage([uri]) { world in
            for (sent, isAllowed) in [(origin, true), (Self.page, false)] {
                let asked = try await world.visitor(at: sent).send(.options, "/oidc/token", nil, asks)
                #expect((asked.headers[.accessControlAllowOrigin] == sent) == isAllowed, "\(sent)")
            }
        }
    }

    @Test(arguments: ["/oidc/authorize", "/oidc/logout", "/oidc/introspect", "/device", "/", "/api/v1/configuration"])
    func `may not call what people and services call`(path: String) async throws {
        try await withPage { world in
            let page = world.visitor(at: Self.page)
            for method: HTTPRequest.Method in [.options, .get, .post] {
                let answer = try await page.send(method, path, nil, asks)
                #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(method)")
            }
        }
    }

    @Test(arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/oidc/jwks"])
    func `of any origin may read the documents`(path: String) async throws {
        try await withPage { world in
            let nobody = world.visitor(at: Self.page)
            nobody.origin = nil
            #expect(try await nobody.send(.options, path, nil, asks).status == .methodNotAllowed, "no page asks")
            for origin in [Self.page, "https://anywhere.example", "null"] {
                let page = world.visitor(at: origin)
                let asked = try await page.send(.options, path, nil, asks)
                let read = try await page.get(path)
                #expect(asked.status == .noContent && read.status == .ok)
                for answer in [asked, read] {
                    #expect(answer.headers[.accessControlAllowOrigin] == "*" && answer.headers[.vary] == nil)
                    #expect(answer.headers[.accessControlAllowCredentials] == nil)
                }
            }
        }
    }
}
