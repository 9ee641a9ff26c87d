import HTTPTypes
import Testing
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Requests that make no sense` {
    private static let calls = [
        "registration/options", "registration/verify", "sign-in/options", "sign-in/verify", "sign-in/password",
        "account",
    ]
    private static let bodies: [String] = [
        "", " ", "x", "{", "}", "[]", "1", "null", "true", "\"a\"", "{\"username\":", "{\"username\":1}",
        "{\"username\":null}", "{\"username\":[]}", "{\"username\":\"\\ud800\"}",
        "{\"username\":\"a\",\"username\":\"b\"}",
        "{\"ceremony\":1,\"credential\":{},\"username\":1}", "{\"username\":true}", "{\"a\":1}{",
        "{\"username\":" + String(repeating: "9", count: 400) + "}",
        String(repeating: "[", count: 60_000), String(repeating: "{\"a\":", count: 10_000),
    ]

    @Test(arguments: calls, bodies)
    func `a malformed body is the client's fault`(call: String, body: String) async throws {
        try await withService { world in
            let answer = try await world.visitor().send(.post, call, Array(body.utf8))
            #expect(answer.refusal == "400 malformed_request")
        }
    }

    @Test(arguments: calls)
    func `bytes that are not text are the client's fault`(call: String) async throws {
        try await withService { world in
            for byte in UInt8.min...UInt8.max {
                let answer = try await world.visitor().send(.post, call, [byte, 0xff, byte])
                #expect(answer.refusal == "400 malformed_request")
            }
        }
    }

    @Test(arguments: ["registration/verify", "sign-in/verify"])
    func `every member of an answer that is absent or of another type is the client's fault`(
        call: String
    ) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let isSignIn = call == "sign-in/verify"
            let start = try await ada.beginSignIn()
            var phone = VirtualAuthenticator(origin: world.origins[0])
            let making = try await ada.beginRegistration(["username": "bob"])
            let credential =
                isSignIn ? try ada.authenticator.get(start.options).value : try phone.create(making.options).value
            let body: JSONValue = ["ceremony": .string(start.ceremony), "credential": credential]
            for path in body.paths {
                // What may be absent, or is read by nobody, may also be wrong.
                let isOptional = [
                    "authenticatorAttachment", "clientExtensionResults", "transports", "userHandle",
                    "publicKeyAlgorithm", "authenticatorData",
                ].contains { path.contains($0) && (isSignIn ? $0 != "authenticatorData" : true) }
                guard !isOptional else { continue }
                for wrong in [nil, JSONValue.null, 1, true, [], [:], ""] where wrong != [:] || path.last != "response" {
                    let answer = try await ada.post(call, body.replacing(path[...], with: wrong))
                    #expect((400..<500).contains(answer.status.code), "\(path) \(String(describing: wrong))")
                    #expect(answer.code != nil)
                }
            }
        }
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx",
    ])
    func `only JSON is read`(type: String) async throws {
        try await withService { world in
            for call in Self.calls {
                let answer = try await world.visitor().send(.post, call, Array("{}".utf8), [.contentType: type])
                #expect(answer.refusal == "415 unsupported_media_type")
            }
        }
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8", " application/json ;x",
    ])
    func `JSON is JSON however it is written`(type: String) async throws {
        try await withService { world in
            let answer = try await world.visitor().send(
                .post,
                "sign-in/options",
                Array("{}".utf8),
                [.contentType: type]
            )
            #expect(answer.status == .ok)
        }
    }

    @Test func `a body of 64 KiB is read and a larger one is not`() async throws {
        try await withService { world in
            let frame = Array(#"{"x":""}"#.utf8)
            for (size, expected) in [(65_536, 200), (65_537, 413), (1_000_000, 413)] {
                let body = frame.dropLast(2) + [UInt8](repeating: 0x61, count: size - frame.count) + frame.suffix(2)
                let answer = try await world.visitor().send(.post, "sign-in/options", Array(body))
                #expect(answer.status.code == expected)
                if expected == 413 { #expect(answer.code == "body_too_large") }
            }
        }
    }

    @Test func `methods an address does not know are named with those it does`() async throws {
        try await withService { world in
            let visitor = world.visitor()
            let expected: [(HTTPRequest.Method, String, String)] = [
                (.put, "account", "DELETE, GET, HEAD, PATCH, POST"), (.get, "sign-out", "POST"),
                (.delete, "sign-in/verify", "POST"),
                (.get, "account/passkeys/AAAA", "DELETE, PATCH"), (.options, "sign-in/options", "POST"),
                (.post, "/healthz", "GET, HEAD"), (.trace, "account/sessions", "DELETE, GET, HEAD"),
            ]
            for (method, path, allowed) in expected {
                let answer = try await visitor.send(method, path, nil)
                #expect(answer.refusal == "405 method_not_allowed")
                #expect(answer.headers[.allow] == allowed, "\(method) \(path)")
            }
        }
    }

    @Test(arguments: [
        "/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/account", "/api/v1/account/passkeys",
        "/api/v1/account/passkeys/a/b", "/api/v1/%61ccount", "/api/v1/account%2fsessions",
    ])
    func `unknown addresses of the API are answered in JSON`(path: String) async throws {
        try await withService { world in
            let first = try await world.visitor().get(path)
            #expect(first.refusal == "404 not_found")
        }
    }

    @Test(arguments: [
        "/nothing", "/index.php", "/%", "/%zz", "/%00", "/../etc/passwd", "/a?b=%", "//", "/.well-known/x",
    ])
    func `other unknown addresses are answered with a page`(path: String) async throws {
        try await withService { world in
            let answer = try await world.visitor().get(path)
            #expect(answer.status == .notFound || (path == "//" && answer.status == .ok))
            if answer.status == .notFound {
                #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
                #expect(!answer.text.contains("script"))
                #expect(answer.text.contains("This page does not exist") && answer.text.contains("/css/ward.css"))
            }
        }
    }

    @Test(arguments: [
        "%zz", "%", "a%2fb", "é", "AAAA=", "A", "AAA+", String(repeating: "A", count: 5_000), "..", "%00",
    ])
    func `a malformed ID belongs to nobody`(id: String) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for path in ["account/passkeys/\(id)", "account/sessions/\(id)"] {
                #expect(try await ada.delete(path).status == .notFound)
            }
            #expect(try await ada.patch("account/passkeys/\(id)", ["name": "x"]).status == .notFound)
        }
    }

    @Test func `a HEAD is answered like a GET without the body`() async throws {
        try await withService { world in
            let visitor = world.visitor()
            for path in ["/healthz", "account", "/nothing", "/api/v1/openapi.json"] {
                let get = try await visitor.get(path)
                let head = try await visitor.send(.head, path, nil)
                #expect(head.status == get.status && head.body.isEmpty)
                #expect(head.headers[.contentLength] == get.headers[.contentLength])
            }
        }
    }
}

extension JSONValue {
    /// The way to every member of every object in it.
    fileprivate var paths: [[String]] {
        (objectValue ?? []).flatMap { member in [[member.name]] + member.value.paths.map { [member.name] + $0 } }
    }

    /// With one member replaced, or left out.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        return .object(
            (objectValue ?? []).compactMap { member in
                guard member.name == name else { return member }
                guard path.count == 1 else { return .init(name, member.value.replacing(path.dropFirst(), with: value)) }
                return value.map { .init(name, $0) }
            }
        )
    }
}
