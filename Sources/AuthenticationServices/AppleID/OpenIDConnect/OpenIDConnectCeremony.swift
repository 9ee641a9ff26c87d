internal import Crypto
internal import Foundation
internal import WardWebAuthn

/// One sign-in: what was made up for it, what is asked, and what an answer must be.
struct OpenIDConnectCeremony: Sendable {
    let request: AppleIDRequestValues
    let configuration: OpenIDConnectConfiguration
    let discovery: OpenIDConnectDiscovery
    /// Binds the answer to this sign-in; the app's own state is another and never leaves the program.
    let state = String.unguessable()
    /// Binds the identity token to this sign-in: the app's, where its service is to check it too.
    let nonce: String
    /// Proves to the token endpoint that whoever has the code also asked for it (RFC 7636, section 4.1).
    let verifier = String.unguessable()

    init(
        _ request: AppleIDRequestValues,
        configuration: OpenIDConnectConfiguration,
        discovery: OpenIDConnectDiscovery
    ) {
        self.request = request
        self.configuration = configuration
        self.discovery = discovery
        nonce = request.nonce ?? .unguessable()
    }

    /// Where the person signs in.
    func authorizationURL(redirectURI: String) -> String {
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8))))
        let scopes = ["openid"] + request.requestedScopes.map { $0 == "name" ? "profile" : $0 }
        var members = [
            ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if request.operation == "login" { members.append(("prompt", "login")) }
        return OpenIDConnectAddress.adding(members, to: discovery.authorizationEndpoint)
    }

    /// The code in an answer whose state was compared.
    ///
    /// - Throws: ``ASAuthorizationError`` with `canceled` when the person said no, `failed` when the issuer did or the answer is
    ///   another issuer's.
    func code(in members: [String: String]) throws(ASAuthorizationError) -> String {
        // RFC 9207, section 2.4: whoever is said to answer is who was asked.
        if let issuer = members["iss"] ?? (discovery.namesIssuerInAnswer ? "" : nil), issuer != configuration.issuer {
            throw .refused("it comes from another issuer")
        }
        if let error = members["error"] {
            guard error != "access_denied" else { throw ASAuthorizationError(.canceled, "the sign-in was declined") }
            // A word of the specification's set, and nothing else of what came.
            let word = error.utf8.count <= 64 && error.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f }
            throw .refused(word ? "it says \(error)" : "it says no")
        }
        guard let code = members["code"], (1...4096).contains(code.utf8.count) else { throw .refused("it has no code") }
        return code
    }

    /// What the app gets.
    func credential(_ claims: OpenIDConnectIdentityToken.Claims, _ token: String) -> AppleIDCredentialValues {
        var values = AppleIDCredentialValues(user: claims.sub, state: request.state, identityToken: Data(token.utf8))
        if request.requestedScopes.contains("email"), let email = claims.email {
            values.email = email
            values.authorizedScopes.append("email")
        }
        if request.requestedScopes.contains("name") {
            var name = PersonNameComponents()
            name.givenName = claims.given_name ?? (claims.family_name == nil ? claims.name : nil)
            name.familyName = claims.family_name
            if name.givenName != nil || name.familyName != nil {
                values.fullName = name
                values.authorizedScopes.append("name")
            }
        }
        return values
    }
}
