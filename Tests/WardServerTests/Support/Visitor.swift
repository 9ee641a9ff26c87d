import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WardTesting
import WardText
import WardWebAuthn

/// A person's browser: it keeps the cookie, names the page's origin, and holds passkeys.
final class Visitor {
    var authenticator: VirtualAuthenticator
    /// What the `Origin` header says; `nil` leaves it out.
    var origin: String?
    /// The session's cookie as `name=value`.
    var cookie: String?
    /// The cookie that shows a proof by the session's device, as `name=value`.
    var bound: String?
    /// The cookie that says that the browser had its chance to prove that it has the key, as `name=value`.
    var renewal: String?
    /// The cookie that names the browser, as `name=value`.
    var device: String?
    /// The cookie of a browser whose person is at an identity provider, as `name=value`.
    var federated: String?
    /// What the proxy says about the browser's address.
    var forwardedFor: String?
    var userAgent = "Visitor/1.0"
    /// Other header fields of every request.
    var fields: HTTPFields = [:]
    /// The last `Set-Cookie`, attributes included.
    private(set) var lastSetCookie: String?
    private let client: any TestClientProtocol

    init(_ client: any TestClientProtocol, at origin: String) {
        self.client = client
        self.origin = origin
        authenticator = VirtualAuthenticator(origin: origin)
    }

    /// The same device in another browser.
    func elsewhere() -> Visitor {
        let other = Visitor(client, at: authenticator.origin)
        other.authenticator = authenticator
        return other
    }

    // MARK: Calls

    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: [UInt8]?,
        _ more: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = fields
        for field in more { headers.append(field) }
        if let origin { headers[.origin] = origin }
        let cookies = [cookie, bound, renewal, device, federated].compactMap(\.self)
        if !cookies.isEmpty { headers[.cookie] = cookies.joined(separator: "; ") }
        if let forwardedFor, let name = HTTPField.Name("X-Forwarded-For") { headers[name] = forwardedFor }
        headers[.userAgent] = userAgent
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let uri = path.hasPrefix("/") ? path : "/api/v1/\(path)"
        let response = try await client.execute(
            uri: uri,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(bytes: $0) }
        ) { $0 }
        for set in response.headers[values: .setCookie] {
            let pair = String(set.prefix { $0 != ";" })
            if pair.contains("-device=") {
                device = pair
                continue
            }
            if pair.contains("-federated=") {
                federated = pair.hasSuffix("=") ? nil : pair
                continue
            }
            if pair.contains("-bound=") {
                bound = pair.hasSuffix("=") ? nil : pair
                continue
            }
            if pair.contains("-renewal=") {
                renewal = pair
                continue
            }
            lastSetCookie = set
            cookie = pair.hasSuffix("=") ? nil : pair
        }
        return Answer(response)
    }

    @discardableResult
    func post(_ path: String, _ body: JSONValue = [:]) async throws -> Answer {
        try await send(.post, path, body.serialized)
    }

    @discardableResult
    func get(_ path: String) async throws -> Answer { try await send(.get, path, nil) }

    @discardableResult
    func delete(_ path: String) async throws -> Answer { try await send(.delete, path, nil) }

    @discardableResult
    func patch(_ path: String, _ body: JSONValue) async throws -> Answer {
        try await send(.patch, path, body.serialized)
    }

    @discardableResult
    func put(_ path: String, _ body: JSONValue) async throws -> Answer {
        try await send(.put, path, body.serialized)
    }

    // MARK: Passwords

    /// Makes an account that begins with a password.
    @discardableResult
    func create(_ name: String, password: String = Visitor.password) async throws -> Answer {
        try await post("account", ["username": .string(name), "password": .string(password)])
    }

    @discardableResult
    func signIn(_ name: String, password: String) async throws -> Answer {
        try await post("sign-in/password", ["username": .string(name), "password": .string(password)])
    }

    /// A password nobody guesses.
    static let password = "rotating teapot 41 lanterns"

    // MARK: Ceremonies

    /// Options of a registration, and the call that ends it.
    func beginRegistration(_ body: JSONValue) async throws -> Started<PublicKeyCredentialCreationOptions> {
        let answer = try await post("registration/options", body)
        guard let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"] else {
            throw Unexpected(answer)
        }
        return Started(ceremony: ceremony, options: try .init(json: options.serialized))
    }

    func beginSignIn(_ body: JSONValue = [:]) async throws -> Started<PublicKeyCredentialRequestOptions> {
        let answer = try await post("sign-in/options", body)
        guard let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"] else {
            throw Unexpected(answer)
        }
        return Started(ceremony: ceremony, options: try .init(json: options.serialized))
    }

    func finishRegistration(
        _ ceremony: String,
        _ response: RegistrationResponse,
        passkeyName: String? = nil
    ) async throws -> Answer {
        var body: [JSONValue.Member] = [.init("ceremony", .string(ceremony)), .init("credential", response.value)]
        if let passkeyName { body.append(.init("passkeyName", .string(passkeyName))) }
        return try await post("registration/verify", .object(body))
    }

    func finishSignIn(_ ceremony: String, _ response: AuthenticationResponse) async throws -> Answer {
        try await post("sign-in/verify", ["ceremony": .string(ceremony), "credential": response.value])
    }

    /// Makes an account, or adds a passkey where no name is given.
    @discardableResult
    func register(_ name: String? = nil, passkeyName: String? = nil) async throws -> Answer {
        let start = try await beginRegistration(name.map { ["username": .string($0)] } ?? [:])
        let response = try authenticator.create(start.options)
        return try await finishRegistration(start.ceremony, response, passkeyName: passkeyName)
    }

    /// Signs in, by the device alone or with a name typed.
    @discardableResult
    func signIn(_ name: String? = nil) async throws -> Answer {
        let start = try await beginSignIn(name.map { ["username": .string($0)] } ?? [:])
        return try await finishSignIn(start.ceremony, try authenticator.get(start.options))
    }

    /// Signs in with somebody's name and a passkey of another account, under the ID of the first passkey that the service lists.
    ///
    /// - Parameter spoil: What else the authenticator does.
    func signInAsStranger(
        to name: String,
        spoil: (inout VirtualAuthenticator) -> Void = { _ in }
    ) async throws -> Answer {
        try await register("eve.\(name)")
        cookie = nil
        var start = try await beginSignIn(["username": .string(name)])
        let listed = try #require(start.options.allowCredentials.first?.id)
        start.options.allowCredentials = []
        authenticator.behaviour.returnsUserHandle = false
        spoil(&authenticator)
        var response = try authenticator.get(start.options)
        if response.id == authenticator.credentials.first?.id { response.id = listed }
        return try await finishSignIn(start.ceremony, response)
    }

    func isSignedIn() async throws -> Bool { try await get("account").status == .ok }

    /// The own passkeys' ids, oldest first.
    func passkeys() async throws -> [String] {
        try await get("account")["passkeys"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }

    /// The own sessions' ids, the current one left out.
    func otherSessions() async throws -> [String] {
        let sessions = try await get("account/sessions")["sessions"]?.arrayValue ?? []
        return sessions.filter { $0["current"] == false }.compactMap { $0["id"]?.stringValue }
    }
}

/// A ceremony that was begun.
struct Started<Options: Sendable>: Sendable {
    let ceremony: String
    var options: Options
}

/// An answer that a test did not count on.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ answer: Answer) { description = "\(answer.status) \(answer.text)" }
}
