import Hummingbird
import WardAccounts
import WardText

/// A client's wish that a person signs in: OpenID Connect Core 1.0,
/// [section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest), with the rules of RFC 9700.
struct AuthorizationRequest: Sendable {
    let client: OAuthClient
    let redirectURI: String
    let state: String?
    let scopes: [String]
    let nonce: String?
    /// SHA-256 of the verifier.
    let codeChallenge: [UInt8]
    let prompt: Set<String>
    /// How old the sign-in may be, in seconds.
    let maxAge: Int64?
    let acrValues: [String]
    let loginHint: String?
    let idTokenHint: String?

    /// The scopes that mean something here; others are ignored.
    static let scopes = ["openid", "profile", "email", "groups", "offline_access"]
    /// What a client may ask for with `prompt`.
    static let prompts: Set = ["none", "login", "consent", "select_account"]
    private static let maximumLength = 512

    /// Checks who asks and where the answer goes.
    ///
    /// Until then nothing goes back to the client, so that the service leads nobody
    /// to a place that no client registered.
    ///
    /// - Throws: ``APIError`` for the person, ``AuthorizationRefusal`` for the client.
    init(_ fields: FormFields, in tx: some AccountTransaction) async throws {
        guard !fields.isMalformed else { throw Self.malformed }
        guard let id = fields["client_id"], let client = try await tx.oauthClient(id: id) else {
            throw APIError(.clientNotKnown, "This service does not know the app that you come from.")
        }
        guard let uri = fields["redirect_uri"], RedirectURI.isRegistered(uri, in: client.redirectURIs) else {
            throw APIError(
                .redirectNotAllowed,
                "The app sent an address to return to that is not registered for it. Tell the people who run the app."
            )
        }
        try self.init(fields, client, uri)
    }

    private init(_ fields: FormFields, _ client: OAuthClient, _ uri: String) throws(AuthorizationRefusal) {
        self.client = client
        redirectURI = uri
        state = fields["state"]
        let back = AuthorizationRefusal.Target(uri: uri, state: state)
        func refused(_ code: String, _ why: String) -> AuthorizationRefusal {
            AuthorizationRefusal(target: back, code: code, description: why)
        }
        for (name, code) in [
            ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
            ("registration", "registration_not_supported"),
        ] where fields[name] != nil {
            throw refused(code, "\(name) is not supported.")
        }
        guard let type = fields["response_type"] else { throw refused("invalid_request", "response_type is missing.") }
        guard type == "code" else { throw refused("unsupported_response_type", "response_type must be code.") }
        guard [nil, "query"].contains(fields["response_mode"]) else {
            throw refused("invalid_request", "response_mode must be query or absent.")
        }
        let asked = fields.words("scope")
        guard asked.contains("openid") else { throw refused("invalid_scope", "scope must contain openid.") }
        scopes = Self.scopes.filter(asked.contains)
        guard fields["code_challenge_method"] == "S256", let challenge = fields["code_challenge"],
            let bytes = Base64URL.decode(challenge), bytes.count == 32
        else { throw refused("invalid_request", "code_challenge with the method S256 is needed (RFC 7636).") }
        codeChallenge = bytes
        prompt = Set(fields.words("prompt"))
        guard prompt.isSubset(of: Self.prompts), !prompt.contains("none") || prompt.count == 1 else {
            throw refused("invalid_request", "prompt must be none, or of login, consent and select_account.")
        }
        maxAge = fields["max_age"].flatMap { Int64($0) }
        guard (maxAge ?? 0) >= 0, fields["max_age"] == nil || maxAge != nil else {
            throw refused("invalid_request", "max_age must be a number of seconds.")
        }
        nonce = fields["nonce"]
        guard [state, nonce].allSatisfy({ ($0?.utf8.count ?? 0) <= Self.maximumLength }) else {
            throw refused("invalid_request", "state and nonce may have at most \(Self.maximumLength) bytes.")
        }
        guard nonce?.utf8.contains(0) != true else { throw refused("invalid_request", "nonce is not text.") }
        acrValues = fields.words("acr_values")
        loginHint = fields["login_hint"].map { String($0.prefix(64)) }
        idTokenHint = fields["id_token_hint"]
    }

    private static let malformed = APIError(
        .malformedRequest,
        "The app sent a request that cannot be read. Tell the people who run the app."
    )
}

/// A refusal that goes back to the client with the person.
struct AuthorizationRefusal: Error, Hashable, Sendable {
    /// Where the answer goes.
    struct Target: Hashable, Sendable {
        let uri: String
        let state: String?
    }

    let target: Target
    let code: String
    let description: String

    /// The address with the answer.
    func location(issuer: String) -> String {
        target.location([("error", code), ("error_description", description)], issuer: issuer)
    }
}

extension AuthorizationRefusal.Target {
    /// The address, with the client's `state`.
    var address: String { adding(state.map { [("state", $0)] } ?? []) }

    /// The address with an answer: it says who answers (RFC 9207).
    func location(_ answer: [(name: String, value: String)], issuer: String) -> String {
        adding(answer + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)])
    }

    private func adding(_ fields: [(name: String, value: String)]) -> String {
        guard !fields.isEmpty else { return uri }
        let query = fields.map { "\($0.name)=\(FormFields.encode($0.value))" }.joined(separator: "&")
        return uri + (uri.contains("?") ? (uri.hasSuffix("?") ? "" : "&") : "?") + query
    }
}

extension AuthorizationRequest {
    /// Whether the person must sign in again, even if the browser has a session.
    var asksForSignIn: Bool { maxAge == 0 || !prompt.isDisjoint(with: ["login", "select_account"]) }

    /// Whether it can need another sign-in than the one that a browser has.
    var needsSignIn: Bool { asksForSignIn || maxAge != nil || !acrValues.isEmpty }

    var target: AuthorizationRefusal.Target { .init(uri: redirectURI, state: state) }

    func refused(_ code: String, _ description: String) -> AuthorizationRefusal {
        AuthorizationRefusal(target: target, code: code, description: description)
    }
}

extension APIError.Code {
    /// The address names no client of the service.
    package static var clientNotKnown: Self { .init("client_not_known", .badRequest) }
    /// The address to return to is not one of the client.
    package static var redirectNotAllowed: Self { .init("redirect_not_allowed", .badRequest) }
}
