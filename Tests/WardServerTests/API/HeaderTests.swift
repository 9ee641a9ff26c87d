import HTTPTypes
import Testing
import WardServer

@Suite struct `Header fields of every answer` {
    private static let answers: [(HTTPRequest.Method, String)] = [
        (.get, "/healthz"), (.get, "account"), (.post, "sign-in/options"), (.put, "account"), (.get, "/nothing"),
        (.get, "/"), (.post, "sign-out"), (.get, "openapi.json"), (.head, "/healthz"),
    ]

    @Test func `what protects pages is on all of them`() async throws {
        try await withService { world in
            for (method, path) in Self.answers {
                let answer = try await world.visitor().send(method, path, method == .post ? Array("{}".utf8) : nil)
                let policy = answer.headers[.contentSecurityPolicy] ?? ""
                for rule in [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
                    "connect-src 'self'",
                    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
                ] {
                    #expect(policy.contains(rule), "\(path)")
                }
                #expect(!policy.contains("unsafe") && !policy.contains("*"))
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                let permissions = answer.headers[try #require(.init("Permissions-Policy"))] ?? ""
                #expect(permissions.contains("publickey-credentials-get=(self)"))
                #expect(permissions.contains("publickey-credentials-create=(self)"))
                #expect(answer.headers[try #require(.init("Referrer-Policy"))] == "same-origin")
                #expect(answer.headers[try #require(.init("Cross-Origin-Opener-Policy"))] == "same-origin")
                #expect(answer.headers[.strictTransportSecurity] == nil)
                #expect(answer.headers[.cacheControl] != nil)
            }
        }
    }

    @Test func `no answer of the API is kept by a cache`() async throws {
        try await withService { world in
            let ada = world.visitor()
            let answer = try await ada.register("ada")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try await ada.get("account").headers[.cacheControl] == "no-store")
            #expect(try await ada.post("sign-in/options").headers[.cacheControl] == "no-store")
        }
    }

    @Test func `over https browsers are told to stay there`() async throws {
        try await withService(ServerConfiguration(rpID: "example.com")) { world in
            let answer = try await world.visitor().get("/healthz")
            #expect(answer.headers[.strictTransportSecurity] == "max-age=63072000")
        }
    }
}
