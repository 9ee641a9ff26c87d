import WardAccounts
import WardText
package import WardWebAuthn

/// The identity providers of a service, and what it needs to send people there and back.
package struct Federation: Sendable {
    /// The path of the redirect URI: one for all providers.
    package static let callback = "/federated/callback"

    package let providers: IdentityProviders
    package let cookie: FederatedCookie
    /// The redirect URI, exactly as it is registered at the providers.
    package let redirectURI: String
    private let clients: [String: ProviderClient]

    /// - Parameters:
    ///   - providers: The providers of the settings.
    ///   - cookie: The cookie of browsers whose person is at a provider.
    ///   - origin: The origin of the service's pages.
    ///   - effects: Clock and randomness.
    ///   - connection: How the providers are reached.
    package init(
        _ providers: IdentityProviders,
        _ cookie: FederatedCookie,
        origin: String,
        effects: Effects,
        connection: ProviderClient.Connection = .network
    ) {
        self.providers = providers
        self.cookie = cookie
        redirectURI = origin + Self.callback
        clients = Dictionary(
            providers.all.map { ($0.id, ProviderClient($0, effects: effects, connection: connection)) }
        ) { first, _ in first }
    }

    /// The client of a provider.
    ///
    /// - Throws: ``APIError`` with `not_found`.
    func client(of id: String) throws(APIError) -> ProviderClient {
        guard let client = clients[id] else {
            throw APIError(.notFound, "This service has no identity provider with this ID.")
        }
        return client
    }

    /// Whether a linked account can sign in: its provider is still one of the service's.
    func isUsable(_ record: FactorRecord) -> Bool {
        guard record.confirmedAt != nil, let link = FederatedLink(record) else { return false }
        return providers.provider(issuer: link.issuer) != nil
    }

    /// The address at the provider where a sign-in goes on (OpenID Connect Core 1.0, section 3.1.2.1).
    func location(
        _ begun: FederatedVisit.Beginning,
        at provider: IdentityProvider,
        _ metadata: ProviderMetadata
    ) -> String {
        var members = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirectURI),
            ("scope", provider.scopes.joined(separator: " ")), ("state", begun.state), ("nonce", begun.nonce),
            ("code_challenge", begun.challenge), ("code_challenge_method", "S256"),
        ]
        if provider.responseMode != .query { members.append(("response_mode", provider.responseMode.rawValue)) }
        let query = members.map { "\($0.0)=\(FormFields.encode($0.1))" }.joined(separator: "&")
        let endpoint = metadata.authorizationEndpoint
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }
}

extension FederatedLink {
    /// The link as the account's owner and administrators see it, without the subject.
    ///
    /// - Parameter providers: The names of the service's identity providers by issuer; another one has no name.
    /// - Returns: The link as JSON.
    func json(naming providers: [String: String]) -> JSONValue {
        [
            "id": .string(Base64URL.encode(record.key)), "issuer": .string(issuer),
            "provider": providers[issuer].map { .string($0) } ?? .null,
            "label": label.map { .string($0) } ?? .null, "addedAt": .string(JSONTime.text(record.createdAt)),
            "lastUsedAt": record.lastUsedAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }
}

/// What a provider's answer says, as the browser brought it.
struct ProviderAnswer: Sendable {
    /// The longest code.
    private static let mostCode = 4_096

    let state: String
    let code: String?
    let issuer: String?
    let error: String?

    /// Reads the members of a request of the page.
    ///
    /// - Throws: ``APIError`` with `malformed_request`.
    init(_ fields: JSONFields) throws(APIError) {
        state = try fields.string("state")
        code = try fields.optionalString("code")
        issuer = try fields.optionalString("iss")
        error = try fields.optionalString("error")
    }

    /// Checks the answer against the provider that was asked, and returns the code.
    ///
    /// - Throws: ``FederationRefusal``.
    func code(from provider: IdentityProvider, _ metadata: ProviderMetadata) throws(FederationRefusal) -> String {
        // RFC 9207, section 2.4: a wrong issuer is refused always, a missing one if the provider says that it names itself. It also
        // comes before an error is believed.
        if let issuer {
            guard issuer.isSame(as: provider.issuer) else { throw .answerIssuer }
        } else if metadata.namesIssuer {
            throw .answerIssuer
        }
        guard error == nil else { throw .answerError }
        guard let code, (1...Self.mostCode).contains(code.utf8.count) else { throw .answerCode }
        return code
    }
}
