internal import Crypto
internal import Foundation
internal import WardText

/// The values of one request to the issuer: its secrets, and the checks of the issuer's answer.
struct OpenIDConnectCeremony: Sendable {
    let request: AppleIDRequestValues
    let configuration: OpenIDConnectConfiguration
    let discovery: OpenIDConnectDiscovery
    /// Binds the answer to this sign-in.
    ///
    /// The app's own state is a different value that never leaves the program.
    let state = String.unguessable()
    /// Binds the identity token to this sign-in.
    ///
    /// It is the app's nonce if the app set one, so that its service can check it.
    let nonce: String
    /// Proves to the token endpoint that the same program requested the code (RFC 7636, section 4.1).
    let verifier = String.unguessable()
    /// The identity token of the person who must answer without a page; `nil` for the sign-in itself.
    private let identityToken: String?

    /// - Parameters:
    ///   - request: The app's request.
    ///   - configuration: The issuer.
    ///   - discovery: The issuer's configuration document.
    ///   - identityToken: The token of a sign-in that has just succeeded, to request a second code without a page.
    init(
        _ request: AppleIDRequestValues,
        configuration: OpenIDConnectConfiguration,
        discovery: OpenIDConnectDiscovery,
        after identityToken: String? = nil
    ) {
        self.request = request
        self.configuration = configuration
        self.discovery = discovery
        self.identityToken = identityToken
        nonce = request.nonce ?? .unguessable()
    }

    /// The maximum length of an identity token in an address, in bytes: servers limit addresses, often to 8 KiB.
    private static var maximumHintLength: Int { 4096 }

    /// The address where the person signs in.
    func authorizationURL(redirectURI: String) -> String {
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8))))
        let scopes = ["openid"] + request.requestedScopes.map { $0 == "name" ? "profile" : $0 }
        var members = [
            ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", state), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]
        if let identityToken {
            members.append(("prompt", "none"))
            // The issuer must refuse if another person is signed in now (Core 1.0, section 3.1.2.1).
            if identityToken.utf8.count <= Self.maximumHintLength { members.append(("id_token_hint", identityToken)) }
            // The app's service checks the nonce of the code's identity token, so it must be one that the app knows.
            if let nonce = request.nonce { members.append(("nonce", nonce)) }
        } else {
            members.append(("nonce", nonce))
            if request.operation == "login" { members.append(("prompt", "login")) }
        }
        return OpenIDConnectAddress.adding(members, to: discovery.authorizationEndpoint)
    }

    /// The authorization code of an answer.
    ///
    /// The caller has already compared the answer's state.
    ///
    /// - Throws: ``ASAuthorizationError`` with `canceled` if the person declined, `failed` if the issuer refused or the
    ///   answer is from another issuer.
    func code(in members: [String: String]) throws(ASAuthorizationError) -> String {
        // RFC 9207, section 2.4: the answer must name the issuer that was asked.
        if let issuer = members["iss"] ?? (discovery.namesIssuerInAnswer ? "" : nil), issuer != configuration.issuer {
            throw .refused("the answer comes from another issuer")
        }
        if let error = members["error"] {
            guard error != "access_denied" else {
                throw ASAuthorizationError(.canceled, "the person declined the sign-in at the issuer")
            }
            // Show the error code only if it has the specification's form.
            let word = error.utf8.count <= 64 && error.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f }
            throw .refused(
                word ? "the issuer reports the error \(error)" : "the answer is an error without a valid code"
            )
        }
        guard let code = members["code"], (1...4096).contains(code.utf8.count) else {
            throw .refused("the answer has no code")
        }
        return code
    }

    /// The credential for the app.
    ///
    /// - Parameters:
    ///   - token: The identity token, which is verified.
    ///   - claims: The claims of the identity token.
    ///   - userInfo: What the issuer says about the person elsewhere, if it does.
    /// - Returns: The credential, without an authorization code.
    func credential(
        _ token: String,
        _ claims: OpenIDConnectIdentityToken.Claims,
        _ userInfo: OpenIDConnectUserInfo?
    ) -> AppleIDCredentialValues {
        var values = AppleIDCredentialValues(user: claims.sub, state: request.state, identityToken: Data(token.utf8))
        if request.requestedScopes.contains("email"), let email = claims.email ?? userInfo?.email {
            values.email = email
            values.authorizedScopes.append("email")
        }
        if request.requestedScopes.contains("name"), let name = claims.fullName ?? userInfo?.fullName {
            values.fullName = name
            values.authorizedScopes.append("name")
        }
        return values
    }
}
