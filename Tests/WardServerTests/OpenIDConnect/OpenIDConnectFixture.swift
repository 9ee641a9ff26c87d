import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// A client of the provider, as a program that speaks OpenID Connect.
struct ClientFixture {
    let world: ServiceFixture
    var id = "wiki"
    /// `nil` for a public client.
    var secret: String? = ClientFixture.secret.text
    var redirectURI = "https://wiki.example.com/callback"
    var verifier = "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOP~0123"
    /// What its ID tokens are signed with.
    var algorithm = "ES256"
    /// The client's address, if a proxy names it.
    var address: String?

    static let secret = SessionToken.random { Array(repeating: 7, count: $0) }
    static let issuer = "https://login.example.com"

    var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    /// The query of a request; a value of `nil` leaves a parameter out.
    func query(_ changes: [String: String?] = [:]) -> String {
        var fields: [String: String?] = [
            "client_id": id, "redirect_uri": redirectURI, "response_type": "code", "scope": "openid profile",
            "state": "s t&a=te", "nonce": "n-0S6", "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { fields[name] = value }
        return Self.form(fields)
    }

    static func form(_ fields: [String: String?]) -> String {
        fields.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\(name)=\($0.utf8.map { "%" + Hex.encode([$0]) }.joined())" }
        }.joined(separator: "&")
    }

    /// Sends a browser to the authorization endpoint.
    func authorize(_ browser: Visitor, _ changes: [String: String?] = [:]) async throws -> Answer {
        try await browser.get("/oidc/authorize?\(query(changes))")
    }

    /// What the provider sent back to the client with the browser.
    func sentBack(_ answer: Answer) throws -> [String: String] {
        #expect(answer.status == .seeOther, "\(answer.text)")
        let location = try #require(answer.headers[.location])
        return try fields(location)
    }

    func fields(_ location: String) throws -> [String: String] {
        let prefix = redirectURI + (redirectURI.contains("?") ? "&" : "?")
        #expect(location.hasPrefix(prefix), "\(location)")
        var fields: [String: String] = [:]
        for pair in location.dropFirst(prefix.count).split(separator: "&") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            fields[String(parts[0])] = String(parts[1]).removingPercentEncoding
        }
        #expect(fields["iss"] == Self.issuer)
        return fields
    }

    func code(_ browser: Visitor, _ changes: [String: String?] = [:]) async throws -> String {
        try #require(try sentBack(await authorize(browser, changes))["code"])
    }

    /// Calls an endpoint as this client.
    func call(_ path: String, _ fields: [String: String?], headers: HTTPFields = [:]) async throws -> Answer {
        var fields = fields
        if fields["client_id"] == nil { fields["client_id"] = id }
        if fields["client_secret"] == nil { fields["client_secret"] = secret }
        let server = world.visitor()
        server.origin = nil
        server.forwardedFor = address
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await server.send(.post, path, Array(Self.form(fields).utf8), headers)
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> Answer {
        var fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "code_verifier": verifier,
        ]
        for (name, value) in changes { fields[name] = value }
        return try await call("/oidc/token", fields)
    }

    func refresh(_ token: String?, _ changes: [String: String?] = [:]) async throws -> Answer {
        var fields: [String: String?] = ["grant_type": "refresh_token", "refresh_token": token]
        for (name, value) in changes { fields[name] = value }
        return try await call("/oidc/token", fields)
    }

    /// The tokens after a whole sign-in.
    func enter(_ browser: Visitor, _ changes: [String: String?] = [:]) async throws -> Answer {
        let answer = try await redeem(code(browser, changes))
        #expect(answer.status == .ok, "\(answer.text)")
        return answer
    }

    func userInfo(_ token: String?) async throws -> Answer {
        let server = world.visitor()
        server.origin = nil
        return try await server.send(.get, "/oidc/userinfo", nil, token.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }

    /// The header of an ID token.
    func header(_ answer: Answer) throws -> JSONValue {
        let part = try #require(answer["id_token"]?.stringValue?.split(separator: ".").first)
        let bytes = try #require(Base64URL.decode(String(part)))
        return try JSONValue(bytes)
    }

    /// The claims of an ID token, whose signature one of the published keys verifies.
    func claims(_ answer: Answer) async throws -> JSONValue {
        let token = try #require(answer["id_token"]?.stringValue)
        let parts = token.split(separator: ".").map(String.init)
        let header = try header(answer)
        #expect(header["alg"] == .string(algorithm))
        let keys = try await world.visitor().get("/oidc/jwks")["keys"]?.arrayValue ?? []
        let key = try #require(keys.first { $0["kid"] == header["kid"] })
        #expect(key["alg"] == header["alg"] && key["use"] == "sig")
        let bytes = try #require(Base64URL.decode(parts[2]))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        if algorithm == "RS256" {
            #expect(key["kty"] == "RSA")
            let known = try _RSA.Signing.PublicKey(
                n: try #require(key["n"]?.base64URLValue),
                e: try #require(key["e"]?.base64URLValue)
            )
            let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
            #expect(known.isValidSignature(signature, for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5))
        } else {
            #expect(key["kty"] == "EC")
            let x = try #require(key["x"]?.base64URLValue)
            let y = try #require(key["y"]?.base64URLValue)
            let known = try P256.Signing.PublicKey(rawRepresentation: x + y)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
            #expect(known.isValidSignature(signature, for: signed))
        }
        let body = try #require(Base64URL.decode(parts[1]))
        return try JSONValue(body)
    }
}

extension Answer {
    /// The `error` of OAuth 2.0, with the status: `400 invalid_grant`.
    var failure: String { "\(status.code) \(self["error"]?.stringValue ?? "")" }

    func text(_ name: String) -> String? { self[name]?.stringValue }
}

/// Runs a provider with a confidential first-party client, a third-party one, and a native app.
func withProvider(
    tryLimits: Limits = .standard,
    trustedProxies: [String] = [],
    _ body: @escaping @Sendable (ServiceFixture, MemoryAccountStore) async throws -> Void
) async throws {
    let store = MemoryAccountStore()
    try await store.write { tx in
        for (id, isPublic, isFirstParty, uris) in [
            ("wiki", false, true, ["https://wiki.example.com/callback", "https://wiki.example.com/callback?a=b"]),
            ("shop", false, false, ["https://shop.example/callback"]),
            ("cli", true, true, ["http://127.0.0.1/callback", "com.example.cli:/callback"]),
        ] {
            try tx.insert(
                OAuthClient(
                    id: id,
                    name: "The \(id)",
                    secretHash: isPublic ? nil : ClientFixture.secret.hash,
                    redirectURIs: uris,
                    postLogoutRedirectURIs: ["https://\(id).example.com/bye"],
                    isFirstParty: isFirstParty,
                    createdAt: 0
                )
            )
        }
        try await IDTokenKeys.prepare(KeyFixture.keys, at: TestEffects().now, in: tx)
    }
    var configuration = ServerConfiguration(rpID: "example.com", origins: [ClientFixture.issuer])
    configuration.trustedProxies = trustedProxies
    // Only the tests of the keys replace them.
    configuration.keyRotation = .seconds(3_650 * 86_400)
    try await withService(configuration, store: store, tryLimits: tryLimits) { try await body($0, store) }
}

extension ServiceFixture {
    /// A person who is signed in.
    func person(_ name: String = "ada") async throws -> Visitor {
        let person = visitor()
        try await person.register(name)
        return person
    }
}

/// Keys that are made once: an RSA key takes a while.
enum KeyFixture {
    static let keys = (try? IDTokenKeys([]).drawMissing()) ?? []

    /// New keys, of which the RSA key is the same each time but for its ID.
    static func fresh(_ number: Int = 0) throws -> [IDTokenKey] {
        try keys.map { key in
            guard key.algorithm == .rs256 else { return try .make(key.algorithm, activeFrom: 0) }
            var key = key
            key.id = "\(key.id)-\(number)"
            return key
        }
    }
}
