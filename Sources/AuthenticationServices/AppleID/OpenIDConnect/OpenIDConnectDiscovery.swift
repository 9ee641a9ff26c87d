internal import Foundation

/// An issuer's configuration document.
///
/// OpenID Connect [Discovery 1.0, section
/// 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata).
struct OpenIDConnectDiscovery: Sendable {
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysAddress: String
    /// Where the issuer says who the person is; `nil` if it says so in the identity token alone.
    let userInfoEndpoint: String?
    /// Whether the token endpoint accepts the client secret only in the body of the request.
    let wantsSecretInForm: Bool
    /// Whether answers always name the issuer ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)).
    let namesIssuerInAnswer: Bool

    private struct Document: Decodable {
        let issuer: String
        let authorization_endpoint: String
        let token_endpoint: String
        let jwks_uri: String
        let userinfo_endpoint: String?
        let response_types_supported: [String]?
        let code_challenge_methods_supported: [String]?
        let token_endpoint_auth_methods_supported: [String]?
        let authorization_response_iss_parameter_supported: Bool?
    }

    /// The address of the document.
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Reads and checks an issuer's document.
    ///
    /// - Throws: ``ASAuthorizationError`` with `failed` if the document belongs to another issuer (section 4.3), has an
    ///   address without `https://`, or the issuer lacks a required feature.
    init(_ bytes: [UInt8], of issuer: String) throws(ASAuthorizationError) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
            throw .refused("the issuer's configuration cannot be read")
        }
        guard document.issuer == issuer else { throw .refused("the configuration is for another issuer") }
        let addresses = [
            document.authorization_endpoint, document.token_endpoint, document.jwks_uri, document.userinfo_endpoint,
        ]
        for address in addresses.compactMap(\.self) {
            guard OpenIDConnectAddress.isAllowed(address, for: issuer) else {
                throw .refused("the issuer's configuration has an address that does not begin with https://")
            }
        }
        if let types = document.response_types_supported, !types.contains("code") {
            throw .refused("the issuer does not support the authorization code flow")
        }
        if let methods = document.code_challenge_methods_supported, !methods.contains("S256") {
            throw .refused("the issuer does not support code challenges with S256")
        }
        authorizationEndpoint = document.authorization_endpoint
        tokenEndpoint = document.token_endpoint
        keysAddress = document.jwks_uri
        userInfoEndpoint = document.userinfo_endpoint
        // If the list of methods is missing, the client secret is sent in the header field (section 3).
        let methods = document.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
        wantsSecretInForm = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
        namesIssuerInAnswer = document.authorization_response_iss_parameter_supported ?? false
    }
}
