import AuthenticationServices
import Crypto
import CryptoExtras
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing
import WardText

/// What an issuer says otherwise than it should.
struct Lie: Sendable, CustomTestStringConvertible {
    typealias Members = [String: JSONValue]

    let testDescription: String
    /// A part of the sentence with which it is refused.
    var refusal = ""
    var discovery: @Sendable (inout Members, String) -> Void = { _, _ in }
    /// Members of the identity token's header, and of what it says.
    var header: @Sendable (inout Members) -> Void = { _ in }
    var claims: @Sendable (inout Members) -> Void = { _ in }
    /// Members of each key in the set.
    var key: @Sendable (inout Members) -> Void = { _ in }
    var accessToken = "for-userinfo"
    /// The identity token, when it is made.
    var token: @Sendable (String) -> String = { $0 }
    /// What the browser brings back.
    var answer: @Sendable (inout [String: String]) -> Void = { _ in }
    /// What the browser brings back with the second code; nothing if it never comes back.
    var secondAnswer: @Sendable (inout [String: String]) -> Void = { _ in }
    /// What an address answers instead: "discovery", "token", "keys", "userinfo".
    var instead: @Sendable (String) -> Issuer.Answer? = { _ in nil }

    static let none = Lie(testDescription: "nothing but the truth")
}

/// A small OpenID provider on this machine that signs Ada in; it checks what it is asked, and lies as a test says.
final class Issuer: Sendable {
    struct Answer: Sendable {
        var status = HTTPResponseStatus.ok
        var headers = [("content-type", "application/json")]
        var body: [UInt8] = []
        /// Never answers.
        var isSilent = false
    }

    enum Key: Sendable { case p256(P256.Signing.PrivateKey), rsa(_RSA.Signing.PrivateKey) }

    struct Seen: Sendable {
        var authorization: [String: String] = [:]
        /// The request for the second code.
        var second: [String: String] = [:]
        var bearer: String?
        var authorizationHeader: String?
        var tokenForm: [String: String] = [:]
        var pages: [Int] = []
        var lastPage = ""
    }

    let lie: Lie
    let key: Key
    /// The secret it wants to hear, and where.
    let secret: (text: String, method: String)?
    let clientID = "shiny"
    private let port = Mutex(0)
    private let state = Mutex(Seen())
    /// Says when the second code is asked for.
    let secondRequests: AsyncStream<Void>
    private let askedTwice: AsyncStream<Void>.Continuation

    init(_ lie: Lie = .none, key: Key = .p256(.init()), secret: (text: String, method: String)? = nil) {
        (self.lie, self.key, self.secret) = (lie, key, secret)
        (secondRequests, askedTwice) = AsyncStream.makeStream()
    }

    var address: String { "http://127.0.0.1:\(port.withLock { $0 })" }
    var seen: Seen { state.withLock { $0 } }

    func configuration() throws -> OpenIDConnectConfiguration {
        try OpenIDConnectConfiguration(issuer: address, clientID: clientID, clientSecret: secret?.text)
    }

    // MARK: The browser

    /// What a person's browser does: opens the page, is led to the issuer, signs in, and is sent back.
    @Sendable func browse(_ url: String) async throws {
        guard let asked = try await follow(url) else { return }
        var answer = ["code": "the-code", "state": asked["state"] ?? "", "iss": address]
        lie.answer(&answer)
        try await comeBack(answer, to: asked["redirect_uri"] ?? "")
    }

    /// The first page, and what the issuer is asked by way of it.
    func follow(_ url: String) async throws -> [String: String]? {
        let asked = try await open(url)
        if let asked { state.withLock { $0.authorization = asked } }
        return asked
    }

    /// Opens a page, and says what the issuer is asked by way of it.
    private func open(_ url: String, host: String? = nil) async throws -> [String: String]? {
        let (status, location, page) = try await Browser.get(url, host: host)
        state.withLock {
            $0.pages.append(status)
            $0.lastPage = page
        }
        guard let location, location.hasPrefix(address + "/authorize?") else { return nil }
        return Self.members(location.split(separator: "?", maxSplits: 1)[1])
    }

    /// Goes back to the app, and once more to the issuer if the app leads there.
    func comeBack(_ answer: [String: String], to address: String, host: String? = nil) async throws {
        guard let asked = try await open(Self.place(answer, address), host: host) else { return }
        state.withLock { $0.second = asked }
        askedTwice.yield()
        var answer = ["code": "the-second-code", "state": asked["state"] ?? "", "iss": self.address]
        lie.secondAnswer(&answer)
        guard !answer.isEmpty else { return }
        _ = try await open(Self.place(answer, asked["redirect_uri"] ?? ""))
    }

    private static func place(_ answer: [String: String], _ address: String) -> String {
        "\(address)?" + answer.map { "\($0.key)=\(escaped($0.value))" }.joined(separator: "&")
    }

    // MARK: The issuer

    /// Runs `body` while the issuer listens.
    func running<Value: Sendable>(_ body: (Issuer) async throws -> Value) async throws -> Value {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        port.withLock { $0 = channel.localAddress?.port ?? 0 }
        let result: Result<Value, any Error>
        do { result = .success(try await body(self)) } catch { result = .failure(error) }
        try? await channel.close()
        return try result.get()
    }

    fileprivate func answer(to head: HTTPRequestHead, body: String) -> Answer {
        switch head.uri {
        case "/.well-known/openid-configuration": lie.instead("discovery") ?? .json(discovery)
        case "/keys": lie.instead("keys") ?? .json(["keys": [["kty": "oct", "kid": "other"], .object(keyMembers)]])
        case "/userinfo": userInfo(head)
        case "/token": lie.instead("token") ?? token(head, Self.members(body[...]))
        default: Answer(status: .notFound)
        }
    }

    private var discovery: JSONValue {
        var members: Lie.Members = [
            "issuer": .string(address), "authorization_endpoint": .string(address + "/authorize"),
            "token_endpoint": .string(address + "/token"), "jwks_uri": .string(address + "/keys"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["plain", "S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        if let secret { members["token_endpoint_auth_methods_supported"] = [.string(secret.method)] }
        lie.discovery(&members, address)
        return .object(members.map { .init($0.key, $0.value) })
    }

    private func token(_ head: HTTPRequestHead, _ form: [String: String]) -> Answer {
        state.withLock {
            $0.tokenForm = form
            $0.authorizationHeader = head.headers.first(name: "authorization")
        }
        let asked = seen.authorization
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))))
        guard head.method == .POST, form["grant_type"] == "authorization_code", form["code"] == "the-code",
            form["redirect_uri"] == asked["redirect_uri"], form["client_id"] == clientID,
            asked["code_challenge_method"] == "S256", challenge == asked["code_challenge"]
        else { return Answer(status: .badRequest, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
        return .json([
            "access_token": .string(lie.accessToken), "token_type": "Bearer", "id_token": .string(identityToken),
        ])
    }

    private func userInfo(_ head: HTTPRequestHead) -> Answer {
        state.withLock { $0.bearer = head.headers.first(name: "authorization") }
        let person: JSONValue = ["sub": "ada-1815", "name": "Countess Ada", "email": "ada@elsewhere.example"]
        return lie.instead("userinfo") ?? .json(person)
    }

    private var identityToken: String {
        let now = Date().timeIntervalSince1970
        var header: Lie.Members = ["alg": key.algorithm, "kid": "one", "typ": "JWT"]
        lie.header(&header)
        var claims: Lie.Members = [
            "iss": .string(address), "sub": "ada-1815", "aud": .string(clientID), "exp": .number(now + 300),
            "iat": .number(now), "nonce": .string(seen.authorization["nonce"] ?? ""), "email": "ada@example.com",
            "given_name": "Ada", "family_name": "Lovelace",
        ]
        lie.claims(&claims)
        let text = [header, claims]
            .map { Base64URL.encode(JSONValue.object($0.map { .init($0.key, $0.value) }).serialized) }
            .joined(separator: ".")
        return lie.token(text + "." + Base64URL.encode(key.signature(of: text)))
    }

    private var keyMembers: [JSONValue.Member] {
        var members = key.members
        members["kid"] = "one"
        members["use"] = "sig"
        members["alg"] = key.algorithm
        lie.key(&members)
        return members.map { .init($0.key, $0.value) }
    }

    private static func members(_ query: Substring) -> [String: String] {
        var members: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            members[String(parts[0])] = parts[1].removingPercentEncoding
        }
        return members
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension Issuer.Answer {
    static func json(_ value: JSONValue) -> Self { Self(body: value.serialized) }
}

extension Issuer.Key {
    var algorithm: JSONValue {
        switch self {
        case .p256: "ES256"
        case .rsa: "RS256"
        }
    }

    func signature(of text: String) -> [UInt8] {
        switch self {
        case .p256(let key): (try? key.signature(for: Data(text.utf8))).map { [UInt8]($0.rawRepresentation) } ?? []
        case .rsa(let key):
            (try? key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)).map {
                [UInt8]($0.rawRepresentation)
            } ?? []
        }
    }

    var members: Lie.Members {
        switch self {
        case .p256(let key):
            let point = [UInt8](key.publicKey.x963Representation)
            return [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point[1...32]))),
                "y": .string(Base64URL.encode(Array(point[33...64]))),
            ]
        case .rsa(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { return [:] }
            return [
                "kty": "RSA", "n": .string(Base64URL.encode([UInt8](numbers.modulus))),
                "e": .string(Base64URL.encode([UInt8](numbers.publicExponent))),
            ]
        }
    }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let issuer: Issuer
    private var head: HTTPRequestHead?
    private var body = ""

    init(_ issuer: Issuer) { self.issuer = issuer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, "")
        case .body(let part): body += String(buffer: part)
        case .end:
            guard let head else { return }
            let answer = issuer.answer(to: head, body: body)
            guard !answer.isSilent else { return }
            var response = HTTPResponseHead(version: .http1_1, status: answer.status)
            for (name, value) in answer.headers { response.headers.add(name: name, value: value) }
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
