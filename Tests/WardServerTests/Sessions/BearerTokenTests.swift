import HTTPTypes
import Testing
import WardServer
import WardText

/// Clients that keep the session's token themselves.
@Suite struct `A native client` {
    private static func field(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    /// Somebody with an app instead of a browser: no origin, and no cookie is kept.
    private func client(_ world: ServiceFixture) throws -> Visitor {
        let client = world.visitor()
        client.origin = nil
        client.fields = [try Self.field("Ward-Session"): "token"]
        return client
    }

    private func token(_ answer: Answer) throws -> String {
        #expect(answer.headers[.setCookie] == nil)
        return try #require(answer["token"]?.stringValue)
    }

    @Test func `gets a token instead of a cookie, and needs no Origin`() async throws {
        try await withService { world in
            let ada = try client(world)
            let first = try token(try await ada.register("ada"))
            ada.fields = [.authorization: "Bearer \(first)"]
            #expect(try await ada.get("account")["account", "username"] == "ada")
            #expect(try await ada.patch("account", ["displayName": "Ada"]).status == .ok)
            let options = try await ada.post("registration/options")
            #expect(options.status == .ok)
            // A new sign-in ends the old token.
            let second = try token(try await ada.signIn())
            #expect(second != first)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
            ada.fields = [.authorization: "bearer \(second)"]
            #expect(try await ada.isSignedIn())
            let left = try await ada.post("sign-out")
            #expect(left.status == .noContent && left.headers[.setCookie] == nil)
            #expect(try await !ada.isSignedIn())
        }
    }

    @Test func `gets one by a password too, which is listed and ended like any session`() async throws {
        try await withService { world in
            let ada = try client(world)
            ada.userAgent = "App/1.0"
            let created = try token(try await ada.create("ada"))
            let phone = try client(world)
            phone.fields = [
                .authorization: "Bearer \(try token(try await phone.signIn("ada", password: Visitor.password)))"
            ]
            let sessions = try await phone.get("account/sessions")["sessions"]?.arrayValue ?? []
            #expect(sessions.compactMap { $0["userAgent"] }.contains("App/1.0"))
            let other = try #require(try await phone.otherSessions().first)
            ada.fields = [.authorization: "Bearer \(created)"]
            #expect(try await ada.isSignedIn())
            #expect(try await phone.delete("account/sessions/\(other)").status == .noContent)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
        }
    }

    @Test func `cannot be a browser that is made to send a person's cookie`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.origin = nil
            #expect(try await ada.delete("account").refusal == "403 origin_not_allowed")
            for value in ["Bearer", "Basic YTpi", "Token x", ""] {
                ada.fields = [.authorization: value]
                #expect(try await ada.delete("account").refusal == "403 origin_not_allowed", "\(value)")
            }
            // What says that it keeps a token itself gets nothing by a cookie.
            for fields: HTTPFields in [
                [.authorization: "Bearer x"], [.authorization: "BEARER a b"], [try Self.field("Ward-Session"): "token"],
            ] {
                ada.fields = fields
                #expect(try await ada.delete("account").refusal == "401 not_signed_in", "\(fields)")
                #expect(try await ada.get("account").refusal == "401 not_signed_in", "\(fields)")
            }
            ada.origin = "https://evil.example"
            #expect(try await ada.delete("account").refusal == "403 origin_not_allowed")
            ada.fields = [:]
            ada.origin = world.origins[0]
            #expect(try await ada.isSignedIn())
        }
    }
}

@Suite struct `A page of another origin` {
    private static let page = "https://www.example.com"

    private func withPages(_ body: @escaping @Sendable (ServiceFixture) async throws -> Void) async throws {
        var configuration = ServerConfiguration(rpID: "example.com", origins: ["https://login.example.com"])
        configuration.corsOrigins = [Self.page]
        try await withService(configuration, body)
    }

    private let method: HTTPFields = [.accessControlRequestMethod: "POST"]

    @Test func `that is named may ask with a token, and never with cookies`() async throws {
        try await withPages { world in
            let page = world.visitor(at: Self.page)
            let asked = try await page.send(.options, "sign-in/password", nil, method)
            #expect(asked.status == .noContent)
            #expect(asked.headers[.accessControlAllowOrigin] == Self.page)
            #expect(asked.headers[.accessControlAllowHeaders]?.contains("Authorization") == true)
            #expect(try await page.create("ada").refusal == "403 origin_not_allowed", "not with a cookie")
            page.fields = [try #require(HTTPField.Name("Ward-Session")): "token"]
            let made = try await page.create("ada")
            #expect(made.status == .created && made.headers[.accessControlAllowOrigin] == Self.page)
            #expect(made.headers[.accessControlAllowCredentials] == nil)
            page.fields = [.authorization: "Bearer \(made["token"]?.stringValue ?? "")"]
            let account = try await page.get("account")
            #expect(account.status == .ok && account.headers[.accessControlAllowOrigin] == Self.page)
            #expect(account.headers[.vary]?.contains("Origin") == true)
        }
    }

    @Test func `that is not named reads nothing and may send nothing`() async throws {
        try await withPages { world in
            for origin in [
                "https://evil.example", "null", "http://www.example.com", "https://www.example.com.evil.example",
            ] {
                let page = world.visitor(at: origin)
                let asked = try await page.send(.options, "sign-in/password", nil, method)
                #expect(asked.status == .methodNotAllowed && asked.headers[.accessControlAllowOrigin] == nil)
                page.fields = [try #require(HTTPField.Name("Ward-Session")): "token"]
                let refused = try await page.create("ada")
                #expect(refused.refusal == "403 origin_not_allowed")
                let read = try await page.get("configuration")
                #expect(read.headers[.accessControlAllowOrigin] == nil && read.headers[.vary] == "Origin")
            }
            // Pages for people are not part of the API.
            let page = try await world.visitor(at: Self.page).get("/")
            #expect(page.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `cannot be named by half`() {
        for origin in ["*", "https://*.example.com", "null", "https://www.example.com/", "http://www.example.com", ""] {
            var configuration = ServerConfiguration()
            configuration.corsOrigins = [origin]
            #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        }
    }
}
