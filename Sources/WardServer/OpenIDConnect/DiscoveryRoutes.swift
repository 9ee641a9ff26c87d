import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// What clients read before they begin: OpenID Connect Discovery 1.0,
/// [section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig), RFC 8414 and the key set.
///
/// Without any client there is no provider: each document is 404.
struct DiscoveryRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
            router.get(RouterPath(path)) { _, _ in try await document { _ in configuration } }
        }
        router.get("/oidc/jwks") { _, _ in
            try await document { IDTokenKeys($0).json(at: deployment.effects.now()) }
        }
    }

    private func document(_ body: ([IDTokenKey]) -> JSONValue) async throws -> Response {
        let found = try await deployment.store.read { tx in
            (try await tx.oauthClients().isEmpty, try await tx.idTokenKeys())
        }
        guard !found.0 else {
            throw APIError(.notFound, "This service has no clients of OpenID Connect: ward-server clients add.")
        }
        var response = Response.json(body(found.1).serialized)
        response.headers[.cacheControl] = "public, max-age=\(IDTokenKeys.cacheLifetime)"
        return response
    }

    private var configuration: JSONValue {
        let issuer = deployment.page
        func address(_ path: String) -> JSONValue { .string(issuer + path) }
        let methods: JSONValue = ["client_secret_basic", "client_secret_post", "none"]
        let contexts = Authentication.Context.allCases.map { JSONValue.string($0.rawValue) }
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": address(AuthorizationRoutes<Store>.path),
            "token_endpoint": address("/oidc/token"),
            "device_authorization_endpoint": address(DeviceRoutes<Store>.path),
            "userinfo_endpoint": address("/oidc/userinfo"),
            "jwks_uri": address("/oidc/jwks"),
            "end_session_endpoint": address(LogoutRoutes<Store>.path),
            "revocation_endpoint": address("/oidc/revoke"),
            "introspection_endpoint": address("/oidc/introspect"),
            "scopes_supported": .array(AuthorizationRequest.scopes.map { .string($0) }),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": .array(TokenEndpoint<Store>.grantTypes.map { .string($0) }),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": .array(
                IDTokenAlgorithm.allCases.map { .string($0.rawValue) }
            ),
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
            "acr_values_supported": .array(contexts),
            "prompt_values_supported": .array(AuthorizationRequest.prompts.sorted().map { .string($0) }),
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "name", "preferred_username",
                "email", "email_verified", "groups",
            ],
            "claims_parameter_supported": false,
            "request_parameter_supported": false,
            "request_uri_parameter_supported": false,
            "authorization_response_iss_parameter_supported": true,
            "ui_locales_supported": .array(PageLanguage.allCases.map { .string($0.rawValue) }),
        ]
    }
}
