import Crypto
import HTTPTypes
import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

@Suite struct `The settings of identity providers` {
    private static let good: [String: JSONValue] = [
        "id": "google", "name": "Google", "issuer": "https://accounts.google.com", "clientID": "ward.apps",
        "clientSecretFile": "google-secret",
    ]
    private static let key = P256.Signing.PrivateKey()

    private static func read(_ entries: [[String: JSONValue]]) throws(ServerConfigurationError) -> [IdentityProvider] {
        let list = entries.map { JSONValue.object($0.map { .init($0.key, $0.value) }) }
        let content = JSONValue.object([.init("providers", .array(list))]).serialized
        return try read(content)
    }

    private static func read(_ content: [UInt8]) throws(ServerConfigurationError) -> [IdentityProvider] {
        try IdentityProviders(content, from: "providers.json") { path, setting throws(ServerConfigurationError) in
            switch path {
            case "google-secret": Array("hidden-secret\n".utf8)
            case "AuthKey.p8": Array(key.pemRepresentation.utf8)
            case "empty": Array("\n".utf8)
            case "lines": Array("one\ntwo\n".utf8)
            default: throw ServerConfigurationError("\(setting): \(path) cannot be read")
            }
        }.all
    }

    @Test func `have useful defaults`() throws {
        let provider = try #require(try Self.read([Self.good]).first)
        #expect(provider.id == "google" && provider.name == "Google" && provider.scopes == ["openid", "email"])
        #expect(provider.responseMode == .query)
        guard case .secret(let secret) = provider.authentication else {
            Issue.record("the way is chosen by what the provider supports")
            return
        }
        #expect("\(secret)" == "ClientSecret(hidden)")
        #expect(!String(reflecting: provider).contains("hidden-secret"))
        var dumped = ""
        dump(provider, to: &dumped)
        #expect(!dumped.contains("hidden-secret"))
    }

    @Test func `of Apple sign a token in place of the secret, and the answer comes in a form`() throws {
        let apple: [String: JSONValue] = [
            "id": "apple", "name": "Apple", "issuer": "https://appleid.apple.com", "clientID": "com.example.signin",
            "signingKeyFile": "AuthKey.p8", "signingKeyID": "KEY1234567", "teamID": "TEAM123456",
        ]
        let provider = try #require(try Self.read([apple]).first)
        #expect(provider.responseMode == .formPost)
        guard case .signed(let key) = provider.authentication else {
            Issue.record("no key")
            return
        }
        let token = try key.token(at: 1_800_000_000)
        let parts = token.split(separator: ".").map(String.init)
        let header = try JSONValue(Base64URL.decode(parts[0]) ?? [])
        #expect(header["alg"] == "ES256" && header["kid"] == "KEY1234567")
        let claims = try JSONValue(Base64URL.decode(parts[1]) ?? [])
        #expect(claims["iss"] == "TEAM123456" && claims["sub"] == "com.example.signin")
        #expect(claims["aud"] == "https://appleid.apple.com")
        #expect(claims["exp"] == .integer(1_800_000_300) && claims["iat"] == .integer(1_800_000_000))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: Base64URL.decode(parts[2]) ?? [])
        #expect(Self.key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        var plain = apple
        plain["scopes"] = ["openid"]
        #expect(try Self.read([plain]).first?.responseMode == .query)
    }

    static let wrong: [(String, [String: JSONValue?], String)] = [
        ("no ID", ["id": nil], "\"id\": it is missing"),
        ("an ID in capitals", ["id": "Google"], "a to z"),
        ("an ID that is too long", ["id": .string(String(repeating: "a", count: 33))], "1 to 32"),
        ("a name with a control character", ["name": "Goo\u{202e}gle"], "can be shown"),
        ("an issuer in the clear", ["issuer": "http://accounts.google.com"], "use https://"),
        ("an issuer with a query", ["issuer": "https://accounts.google.com?a=b"], "query"),
        ("an issuer with a fragment", ["issuer": "https://accounts.google.com#a"], "fragment"),
        ("no client ID", ["clientID": nil], "\"clientID\": it is missing"),
        ("no secret", ["clientSecretFile": nil], "\"clientSecretFile\": it is missing"),
        ("a secret that cannot be read", ["clientSecretFile": "none"], "cannot be read"),
        ("an empty secret", ["clientSecretFile": "empty"], "one line"),
        ("two secrets", ["clientSecretFile": "lines"], "one line"),
        ("a secret in the file itself", ["clientSecret": "hidden"], "no setting of a provider"),
        ("another way to send it", ["authentication": "none"], "client_secret_basic"),
        ("no openid", ["scopes": ["email"]], "openid"),
        ("scopes that are a text", ["scopes": "openid"], "list of scopes"),
        ("a scope with a space", ["scopes": ["openid", "a b"]], "list of scopes"),
        ("a fragment as the answer", ["responseMode": "fragment"], "form_post"),
        ("a key without its ID", ["clientSecretFile": nil, "signingKeyFile": "AuthKey.p8"], "\"signingKeyID\""),
        ("a key ID without a key", ["signingKeyID": "KEY"], "\"signingKeyFile\": it is missing"),
        (
            "a key that is a secret",
            ["clientSecretFile": nil, "signingKeyFile": "google-secret", "signingKeyID": "K", "teamID": "T"], "PEM"
        ),
        ("a key and a secret", ["signingKeyFile": "AuthKey.p8", "signingKeyID": "K", "teamID": "T"], "leave out"),
    ]

    @Test(arguments: wrong) func `are refused with`(
        _ name: String,
        _ change: [String: JSONValue?],
        _ reason: String
    ) throws {
        var entry = Self.good
        for (member, value) in change { entry[member] = value }
        let error = #expect(throws: ServerConfigurationError.self) { try Self.read([entry]) }
        let text = try #require(error?.description)
        #expect(text.contains(reason), "\(name): \(text)")
        #expect(!text.contains("hidden"))
    }

    @Test func `are refused if two are the same, or the file has another form`() throws {
        var other = Self.good
        other["id"] = "other"
        #expect(throws: ServerConfigurationError.self) { try Self.read([Self.good, other]) }
        other["issuer"] = "https://id.example.com"
        #expect(try Self.read([Self.good, other]).count == 2)
        other["id"] = "google"
        #expect(throws: ServerConfigurationError.self) { try Self.read([Self.good, other]) }
        for text in ["", "[]", "{}", "{\"providers\":{}}", "{\"providers\":[1]}"] {
            #expect(throws: ServerConfigurationError.self, "\(text)") { try Self.read(Array(text.utf8)) }
        }
        #expect(try Self.read(Array("{\"providers\":[]}".utf8)).isEmpty)
        let many = (1...9).map { number in
            var entry = Self.good
            entry["id"] = .string("p\(number)")
            entry["issuer"] = .string("https://p\(number).example")
            return entry
        }
        #expect(throws: ServerConfigurationError.self) { try Self.read(many) }
    }
}

@Suite struct `The documents of an identity provider` {
    private static func provider(_ change: [String: JSONValue] = [:]) throws -> IdentityProvider {
        var entry: [String: JSONValue] = [
            "id": "example", "name": "Example", "issuer": .string(FakeProvider.issuer),
            "clientID": .string(TokenMaker.clientID), "clientSecretFile": "secret",
        ]
        entry.merge(change) { $1 }
        let content = JSONValue.object([
            .init("providers", .array([.object(entry.map { .init($0.key, $0.value) })]))
        ])
        let all = try IdentityProviders(content.serialized, from: "") { _, _ throws(ServerConfigurationError) in
            Array("s3cret".utf8)
        }.all
        return try #require(all.first)
    }

    private static func metadata(
        _ change: [String: JSONValue?],
        _ settings: [String: JSONValue] = [:]
    ) throws -> ProviderMetadata {
        var members = FakeProvider().with { $0.metadata }
        for (name, value) in change { members[name] = value }
        let document = JSONValue.object(members.map { .init($0.key, $0.value) }).serialized
        return try ProviderMetadata(document, of: try provider(settings))
    }

    static let lies: [(String, [String: JSONValue?], FederationRefusal)] = [
        ("another issuer", ["issuer": "https://evil.example"], .metadataIssuer),
        ("the issuer with a slash", ["issuer": .string(FakeProvider.issuer + "/")], .metadataIssuer),
        ("no issuer", ["issuer": nil], .metadataIssuer),
        ("no token endpoint", ["token_endpoint": nil], .metadataUnreadable),
        ("a token endpoint in the clear", ["token_endpoint": "http://id.example.com/token"], .metadataAddress),
        ("a token endpoint on this machine", ["token_endpoint": "http://127.0.0.1/token"], .metadataAddress),
        ("keys in a file", ["jwks_uri": "file:///etc/passwd"], .metadataAddress),
        ("keys with a user name", ["jwks_uri": "https://a@id.example.com/keys"], .metadataAddress),
        ("a script to open", ["authorization_endpoint": "javascript:alert(1)"], .metadataAddress),
        ("an address with a fragment", ["authorization_endpoint": "https://id.example.com/#a"], .metadataAddress),
        ("no codes", ["response_types_supported": ["id_token"]], .metadataFlow),
        ("challenges that are shown", ["code_challenge_methods_supported": ["plain"]], .metadataChallenge),
        (
            "another way to authenticate", ["token_endpoint_auth_methods_supported": ["private_key_jwt"]],
            .metadataAuthentication
        ),
    ]

    @Test(arguments: lies) func `are refused with`(
        _ name: String,
        _ change: [String: JSONValue?],
        _ refusal: FederationRefusal
    ) throws {
        #expect(throws: refusal, "\(name)") { try Self.metadata(change) }
    }

    @Test func `say how the secret is sent`() throws {
        let post: [String: JSONValue?] = ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
        #expect(try !Self.metadata([:]).wantsSecretInForm)
        #expect(try Self.metadata(post).wantsSecretInForm)
        #expect(throws: FederationRefusal.metadataAuthentication) {
            try Self.metadata(post, ["authentication": "client_secret_basic"])
        }
        #expect(try Self.metadata(post, ["authentication": "client_secret_post"]).wantsSecretInForm)
        #expect(throws: FederationRefusal.metadataAuthentication) {
            try Self.metadata([:], ["authentication": "client_secret_post"])
        }
        #expect(
            ProviderMetadata.address(of: "https://a.example/") == "https://a.example/.well-known/openid-configuration"
        )
        #expect(
            ProviderMetadata.address(of: "https://a.example/b")
                == "https://a.example/b/.well-known/openid-configuration"
        )
    }

    @Test func `are fetched once in a while, and again for an unknown key, but not for each`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            let discovery = "/.well-known/openid-configuration"
            for _ in 0..<3 { _ = try await world.visitor().signIn(at: provider, world) }
            #expect(provider.requests(for: discovery) == 1 && provider.requests(for: "/keys") == 1)
            // The provider signs with a new key.
            world.effects.advance(by: ProviderClient.pause)
            provider.with { $0.maker = TokenMaker(.edDSA(.init())) }
            provider.with { $0.maker.header["kid"] = "two" }
            // The set still names the key "one", so the new key is unknown in it.
            for _ in 0..<3 {
                #expect(try await world.visitor().signIn(at: provider, world).refusal == "403 provider_refused")
            }
            #expect(provider.requests(for: "/keys") == 2)
            world.effects.advance(by: ProviderClient.pause)
            provider.with { $0.maker.header["kid"] = "one" }
            provider.with { $0.maker = TokenMaker(.edDSA(.init())) }
            world.effects.advance(by: ProviderClient.cacheLifetime)
            #expect(try await world.visitor().signIn(at: provider, world)["unknown"] != nil)
            #expect(provider.requests(for: discovery) == 2 && provider.requests(for: "/keys") == 3)
        }
    }

    @Test func `that do not come are asked for again only after a pause`() async throws {
        let provider = FakeProvider()
        try await provider.run { world in
            provider.with { $0.failure = .unreachable }
            let ask: JSONValue = ["provider": "example"]
            for _ in 0..<5 {
                let answer = try await world.visitor().post("sign-in/federated", ask)
                #expect(answer.refusal == "502 provider_unavailable")
            }
            #expect(provider.requests(for: "/.well-known/openid-configuration") == 1)
            provider.with { $0.failure = nil }
            world.effects.advance(by: ProviderClient.pause)
            #expect(try await world.visitor().post("sign-in/federated", ask).status == .ok)
        }
    }
}

@Suite struct `The cookie of a visit at an identity provider` {
    private static let visit = FederatedVisit.begun(
        .init(provider: "example", state: "s", nonce: "n", verifier: "v", linking: nil)
    )

    private static func value(_ cookie: String) -> String {
        String(cookie.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())
    }

    @Test func `is read only by the service that made it, as it was, for ten minutes`() throws {
        let cookie = FederatedCookie(isSecure: true, secret: Array(repeating: 1, count: 32))
        let set = try cookie.setting(Self.visit, at: 1_000)
        #expect(set.hasPrefix("__Host-ward-federated=") && set.hasSuffix("; HttpOnly; SameSite=Strict; Secure"))
        let text = Self.value(set)
        #expect(cookie.content(of: text, at: 1_599)?.visit == Self.visit)
        #expect(cookie.content(of: text, at: 1_600) == nil)
        #expect(cookie.content(of: text, at: 999) == nil)
        let other = FederatedCookie(isSecure: true, secret: Array(repeating: 2, count: 32))
        #expect(other.content(of: text, at: 1_000) == nil)
        let bytes = try #require(Base64URL.decode(text))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(cookie.content(of: Base64URL.encode(changed), at: 1_000) == nil, "\(index)")
        }
        for text in ["", "AAAA", String(repeating: "A", count: 4_000), Base64URL.encode(Array(bytes.dropLast()))] {
            #expect(cookie.content(of: text, at: 1_000) == nil)
        }
        #expect(Self.value(try cookie.setting(Self.visit, at: 1_000)) != text, "it has fresh random bytes")
    }
}
