import WardText

/// The configuration document of an identity provider.
///
/// OpenID Connect Discovery 1.0, [section 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata).
package struct ProviderMetadata: Hashable, Sendable {
    package let authorizationEndpoint: String
    package let tokenEndpoint: String
    /// Where the keys are.
    package let keys: String
    /// Whether answers always name the issuer ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)).
    package let namesIssuer: Bool
    /// Whether the client secret is sent in the form, because the provider does not support the header field.
    package let wantsSecretInForm: Bool

    /// The address of the document.
    package static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Reads and checks the document.
    ///
    /// - Parameters:
    ///   - document: The document's bytes.
    ///   - provider: The provider with its settings.
    /// - Throws: ``FederationRefusal`` if the document is for another issuer (section 4.3), has an address without `https`, or the
    ///   provider lacks something that this service needs.
    package init(_ document: [UInt8], of provider: IdentityProvider) throws(FederationRefusal) {
        guard let value = try? JSONValue(document), value.objectValue != nil else { throw .metadataUnreadable }
        func words(_ name: String) -> [String]? {
            value[name]?.arrayValue.map { $0.compactMap(\.stringValue) }
        }
        func address(_ name: String) throws(FederationRefusal) -> String {
            guard let text = value[name]?.stringValue else { throw .metadataUnreadable }
            // Only a provider on this machine, which is a test, may have addresses without TLS.
            guard WebAddress.problem(text) == nil, text.hasPrefix("https://") || provider.issuer.hasPrefix("http://")
            else { throw .metadataAddress }
            return text
        }
        guard value["issuer"]?.stringValue?.isSame(as: provider.issuer) == true else { throw .metadataIssuer }
        authorizationEndpoint = try address("authorization_endpoint")
        tokenEndpoint = try address("token_endpoint")
        keys = try address("jwks_uri")
        if let types = words("response_types_supported"), !types.contains("code") { throw .metadataFlow }
        // A provider that names no methods may still check the challenge, as Apple's does.
        if let methods = words("code_challenge_methods_supported"), !methods.contains("S256") {
            throw .metadataChallenge
        }
        namesIssuer = value["authorization_response_iss_parameter_supported"]?.boolValue ?? false
        // Section 3: without the list, the header field is meant.
        let methods = words("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        switch provider.authentication {
        case .basic:
            guard methods.contains("client_secret_basic") else { throw .metadataAuthentication }
            wantsSecretInForm = false
        case .post, .signed:
            guard methods.contains("client_secret_post") else { throw .metadataAuthentication }
            wantsSecretInForm = true
        case .secret:
            wantsSecretInForm = !methods.contains("client_secret_basic")
            guard !wantsSecretInForm || methods.contains("client_secret_post") else { throw .metadataAuthentication }
        }
    }
}
