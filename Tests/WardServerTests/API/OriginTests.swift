import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// A call that changes something.
struct ChangingCall: Sendable, CustomTestStringConvertible {
    let method: HTTPRequest.Method
    let path: String
    var testDescription: String { "\(method) \(path)" }

    static let all = [
        Self(method: .post, path: "registration/options"), Self(method: .post, path: "registration/verify"),
        Self(method: .post, path: "sign-in/options"), Self(method: .post, path: "sign-in/verify"),
        Self(method: .post, path: "sign-out"),
        Self(method: .patch, path: "account/passkeys/AAAA"), Self(method: .delete, path: "account/passkeys/AAAA"),
        Self(method: .delete, path: "account/sessions/AAAAAAAAAAAAAAAAAAAAAA"),
    ]
}

@Suite struct `Where requests come from` {
    @Test(arguments: ChangingCall.all)
    func `nothing changes for a page of another origin`(call: ChangingCall) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let strangers: [String?] = [
                nil, "", "null", "https://evil.example", "http://localhost", "http://localhost:80800",
                "https://localhost:8080", "HTTP://LOCALHOST:8080", "http://localhost:8080/",
                "http://localhost:8080, http://localhost:8080", "http://a.localhost:8080",
            ]
            for origin in strangers {
                ada.origin = origin
                let answer = try await ada.send(call.method, call.path, Array("{}".utf8))
                #expect(answer.refusal == "403 origin_not_allowed", "\(origin ?? "no origin")")
            }
            ada.origin = world.origins[0]
            #expect(try await ada.isSignedIn())
        }
    }

    @Test(arguments: [
        ("cross-site", true), ("Cross-Site", true), ("same-origin", false), ("same-site", false), ("none", false),
    ])
    func `what the browser itself calls cross-site changes nothing, whatever its Origin says`(
        site: String,
        isRefused: Bool
    ) async throws {
        try await withService { world in
            let field = try #require(HTTPField.Name("Sec-Fetch-Site"))
            for path in ["sign-in/options", "registration/options", "sign-in/password", "account", "sign-out"] {
                let answer = try await world.visitor().send(.post, path, Array("{}".utf8), [field: site])
                #expect((answer.code == "origin_not_allowed") == isRefused, "\(path)")
            }
        }
    }

    @Test func `two Origin headers are one too many`() async throws {
        try await withService { world in
            let ada = world.visitor()
            var more = HTTPFields()
            more.append(HTTPField(name: .origin, value: world.origins[0]))
            more.append(HTTPField(name: .origin, value: "https://evil.example"))
            ada.origin = nil
            let answer = try await ada.send(.post, "sign-in/options", Array("{}".utf8), more)
            #expect(answer.refusal == "403 origin_not_allowed")
        }
    }

    @Test func `reading needs no origin`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.origin = nil
            #expect(try await ada.get("account").status == .ok)
            #expect(try await ada.get("account/sessions").status == .ok)
        }
    }

    @Test(arguments: ["sign-in", "registration"])
    func `bug class 8: a ceremony begun at one origin is not finished from another of the service`(
        kind: String
    ) async throws {
        let origins = ["https://example.com", "https://login.example.com"]
        try await withService(ServerConfiguration(rpID: "example.com", origins: origins)) { world in
            let ada = world.visitor(at: origins[0])
            try await ada.register("ada")
            ada.origin = origins[1]
            if kind == "sign-in" {
                let start = try await ada.beginSignIn()
                let answer = try await ada.finishSignIn(start.ceremony, try ada.authenticator.get(start.options))
                #expect(answer.refusal == "403 origin_not_allowed")
            } else {
                let bob = world.visitor(at: origins[0])
                bob.origin = origins[1]
                #expect(try await bob.register("bob").refusal == "403 origin_not_allowed")
            }
            ada.authenticator.origin = origins[1]
            #expect(try await ada.signIn().status == .ok, "all of it at the second one is fine")
        }
    }

    @Test func `an app of the service names itself as its platform does`() async throws {
        let app = "android:apk-key-hash:\(Base64URL.encode([UInt8](repeating: 1, count: 32)))"
        let configuration = ServerConfiguration(rpID: "example.com", origins: ["https://example.com", app])
        try await withService(configuration) { world in
            let ada = world.visitor(at: app)
            let answer = try await ada.register("ada")
            #expect(answer.status == .created)
            #expect(try await ada.signIn().status == .ok)
        }
    }
}
