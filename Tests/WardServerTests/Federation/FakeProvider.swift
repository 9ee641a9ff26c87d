import Crypto
import Foundation
import Synchronization
import WardServer
import WardTesting
import WardTesting
import WardText

/// An identity provider without sockets, which checks what it is asked and may lie.
final class FakeProvider: Sendable {
    static let issuer = TokenMaker.issuer

    /// What it does and what it saw.
    struct State: Sendable {
        var metadata: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        var maker = TokenMaker()
        var subject = "ada-1815"
        var email = "ada@example.com"
        var now: Int64 = 0
        /// What each code was given for.
        var codes: [String: [String: String]] = [:]
        var requests: [String: Int] = [:]
        var authorization: String?
        var form: [String: String] = [:]
        var failure: FederationRefusal?
        var change: @Sendable (inout TokenMaker) -> Void = { _ in }
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: @Sendable (inout sending State) -> sending Value) -> Value {
        state.withLock(body)
    }

    func requests(for path: String) -> Int { state.withLock { $0.requests[path] ?? 0 } }

    var connection: ProviderClient.Connection {
        ProviderClient.Connection { [self] address, form throws(FederationRefusal) in
            let result = state.withLock { state in answer(address, form, &state) }
            return try result.get()
        }
    }

    private func answer(
        _ address: String,
        _ form: ProviderClient.Connection.Form?,
        _ state: inout State
    ) -> Result<(status: UInt, body: [UInt8]), FederationRefusal> {
        let path = String(address.dropFirst(Self.issuer.count))
        state.requests[path, default: 0] += 1
        if let failure = state.failure { return .failure(failure) }
        switch path {
        case "/.well-known/openid-configuration":
            return .success((200, JSONValue.object(state.metadata.map { .init($0.key, $0.value) }).serialized))
        case "/keys": return .success((200, state.maker.keySet()))
        case "/token":
            state.authorization = form?.authorization
            state.form = Self.members(form?.body ?? "")
            let form = state.form
            guard form["grant_type"] == "authorization_code",
                let asked = form["code"].flatMap({ state.codes.removeValue(forKey: $0) }),
                asked["redirect_uri"] == form["redirect_uri"], let verifier = form["code_verifier"],
                Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) == asked["code_challenge"]
            else { return .success((400, Array(#"{"error":"invalid_grant"}"#.utf8))) }
            var maker = state.maker
            maker.claims["sub"] = .string(state.subject)
            maker.claims["email"] = .string(state.email)
            maker.claims["nonce"] = .string(asked["nonce"] ?? "")
            maker.claims["iat"] = .integer(state.now)
            maker.claims["exp"] = .integer(state.now + 300)
            state.change(&maker)
            let token = (try? maker.token()) ?? ""
            let body: JSONValue = ["access_token": "access", "token_type": "Bearer", "id_token": .string(token)]
            return .success((200, body.serialized))
        default: return .success((404, []))
        }
    }

    /// The person signs in: the code that the provider gives for an address.
    func code(for location: String, at now: Int64) -> (code: String, state: String) {
        let asked = Self.members(location.split(separator: "?").last.map(String.init) ?? "")
        let code = "code-\(UInt64.random(in: .min ... .max))"
        state.withLock { state in
            state.codes[code] = asked
            state.now = now
        }
        return (code, asked["state"] ?? "")
    }

    static func members(_ query: String) -> [String: String] {
        var members: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            members[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return members
    }

    /// The settings of a service with this provider, in a folder of their own.
    static func settings(in folder: URL, _ configuration: ServerConfiguration = ServerConfiguration()) throws
        -> ServerConfiguration
    {
        var configuration = configuration
        let secret = folder.appending(path: "secret")
        try Data("s3cret&more\n".utf8).write(to: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        let providers: JSONValue = [
            "providers": [
                [
                    "id": "example", "name": "Example", "issuer": .string(issuer),
                    "clientID": .string(TokenMaker.clientID), "clientSecretFile": "secret",
                ]
            ]
        ]
        let file = folder.appending(path: "providers.json")
        try Data(providers.serialized).write(to: file)
        configuration.identityProviders = file.path
        return configuration
    }

    /// Runs a service with this provider.
    func run(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        store: MemoryAccountStore = MemoryAccountStore(),
        _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = try Self.settings(in: folder, configuration)
        try await withService(settings, store: store, providers: connection, body)
    }
}

extension Visitor {
    /// Goes to the provider and comes back, up to the page that takes the answer.
    func visit(
        _ provider: FakeProvider,
        at world: ServiceFixture,
        linking: Bool = false,
        id: JSONValue = "example"
    ) async throws -> (code: String, state: String) {
        let begun = try await post(linking ? "account/federated" : "sign-in/federated", ["provider": id])
        guard let location = begun["location"]?.stringValue else { throw Unexpected(begun) }
        return provider.code(for: location, at: world.effects.now)
    }

    /// Gives the answer of the provider to the service.
    func bring(_ answer: (code: String, state: String), iss: JSONValue? = .string(FakeProvider.issuer)) async throws
        -> Answer
    {
        var body: [JSONValue.Member] = [.init("code", .string(answer.code)), .init("state", .string(answer.state))]
        if let iss { body.append(.init("iss", iss)) }
        return try await post("sign-in/federated/answer", .object(body))
    }

    /// Signs in at the provider, or links the account there.
    func signIn(at provider: FakeProvider, _ world: ServiceFixture, linking: Bool = false) async throws -> Answer {
        try await bring(try await visit(provider, at: world, linking: linking))
    }
}
