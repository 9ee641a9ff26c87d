import AsyncHTTPClient
import Foundation
import NIOCore

/// The service that Shiny's accounts are at, over its JSON API.
actor Service {
    /// Where it is.
    nonisolated let address: String
    /// Its domain: the relying party identifier of its passkeys.
    nonisolated let domain: String
    /// The session's cookie, for as long as the app runs.
    private var cookies: [String: String] = [:]

    init?(_ address: String) {
        guard let url = URLComponents(string: address), let host = url.host, ["http", "https"].contains(url.scheme)
        else {
            return nil
        }
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        domain = host
    }

    // MARK: What the app needs

    func signInOptions(for username: String? = nil, userVerification: String? = nil) async throws -> SignInOptions {
        try await call(
            "POST",
            "sign-in/options",
            ["username": username, "userVerification": userVerification].compactMapValues(\.self)
        )
    }

    func signIn(_ answer: SignInAnswer) async throws -> SignedIn { try await call("POST", "sign-in/verify", answer) }

    func signIn(username: String, password: String) async throws -> SignedIn {
        try await call("POST", "sign-in/password", ["username": username, "password": password])
    }

    /// With a name for a new account; without a name for the account that is signed in.
    ///
    /// `mediation` is `conditional` for an automatic upgrade.
    func registrationOptions(username: String? = nil, mediation: String? = nil) async throws -> RegistrationOptions {
        try await call(
            "POST",
            "registration/options",
            ["username": username, "mediation": mediation].compactMapValues(\.self)
        )
    }

    func register(_ answer: RegistrationAnswer) async throws -> SignedIn {
        try await call("POST", "registration/verify", answer)
    }

    func createAccount(username: String, password: String) async throws -> SignedIn {
        try await call("POST", "account", ["username": username, "password": password])
    }

    func account() async throws -> AccountDetails { try await call("GET", "account", Nothing?.none) }
    func deletePasskey(_ id: String) async throws {
        let _: Nothing = try await call("DELETE", "account/passkeys/\(id)", Nothing?.none)
    }
    func deletePassword() async throws { let _: Nothing = try await call("DELETE", "account/password", Nothing?.none) }
    func makeRecoveryCodes() async throws -> [String] {
        let made: RecoveryCodes = try await call("POST", "account/recovery-codes", Nothing())
        return made.codes
    }

    func signOut() async throws {
        let _: Nothing = try await call("POST", "sign-out", Nothing())
        cookies = [:]
    }

    // MARK: HTTP

    /// A service that is not there is said at once.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private func call<Answer: Decodable>(_ method: String, _ path: String, _ body: (some Encodable)?) async throws
        -> Answer
    {
        var request = HTTPClientRequest(url: "\(address)/api/v1/\(path)")
        request.method = .init(rawValue: method)
        // An app speaks for the whole domain: that is its origin in passkeys, and so in its requests.
        request.headers.add(name: "origin", value: "https://\(domain)")
        if !cookies.isEmpty {
            request.headers.add(name: "cookie", value: cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body)))
        }
        let response: HTTPClientResponse
        let bytes: ByteBuffer
        do {
            response = try await Self.client.execute(request, timeout: .seconds(30))
            bytes = try await response.body.collect(upTo: 1 << 20)
        } catch {
            throw ServiceError(code: "unreachable", message: "Nobody answers at \(address). Is the service running?")
        }
        for field in response.headers["set-cookie"] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        let data = Data(bytes.readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            throw (try? JSONDecoder().decode(ServiceError.self, from: data))
                ?? ServiceError(code: "unknown", message: "The service answered \(response.status.code).")
        }
        return try JSONDecoder().decode(Answer.self, from: data.isEmpty ? Data("{}".utf8) : data)
    }
}

/// What the service says when it does not do something: a problem document (RFC 9457).
struct ServiceError: Error, Decodable, LocalizedError {
    let code: String
    let message: String
    var errorDescription: String? { message }

    private enum CodingKeys: String, CodingKey {
        case code
        case message = "detail"
    }
}

private struct Nothing: Codable {}
