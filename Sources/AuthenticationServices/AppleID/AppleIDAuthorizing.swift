internal import Synchronization
package import struct Foundation.Data
package import struct Foundation.PersonNameComponents

/// The values of an ``ASAuthorizationAppleIDRequest``.
package struct AppleIDRequestValues: Hashable, Sendable {
    /// The account of an earlier sign-in.
    ///
    /// If it is set, the person must sign in with this account.
    package var user: String?
    /// The OpenID Connect scopes that the app requested: `name`, `email`.
    package var requestedScopes: [String]
    /// A value that comes back with the answer.
    package var state: String?
    /// The nonce that the identity token must contain.
    package var nonce: String?
    /// The operation: `login`, `refresh`, `logout` or `implicit`.
    package var operation: String

    package init(
        user: String? = nil,
        requestedScopes: [String] = [],
        state: String? = nil,
        nonce: String? = nil,
        operation: String = "implicit"
    ) {
        self.user = user
        self.requestedScopes = requestedScopes
        self.state = state
        self.nonce = nonce
        self.operation = operation
    }
}

/// The values of an issuer's answer.
///
/// The identity token is verified.
package struct AppleIDCredentialValues: Hashable, Sendable {
    /// The subject of the identity token.
    package var user: String
    /// The state of the request.
    ///
    /// It was already compared with the answer's.
    package var state: String?
    /// The scopes that were granted: `name`, `email`.
    package var authorizedScopes: [String]
    /// The code that the app's service exchanges for its own tokens.
    package var authorizationCode: Data?
    /// What the app's service needs beside the code.
    package var codeExchange: OpenIDConnectCodeExchange?
    /// The identity token, in its compact form.
    package var identityToken: Data?
    /// The e-mail address, if requested and provided.
    package var email: String?
    /// The name, if requested and provided.
    package var fullName: PersonNameComponents?
    /// Whether the issuer says that the person is real; `nil` if the issuer says nothing.
    package var isLikelyReal: Bool?

    package init(
        user: String,
        state: String? = nil,
        authorizedScopes: [String] = [],
        authorizationCode: Data? = nil,
        codeExchange: OpenIDConnectCodeExchange? = nil,
        identityToken: Data? = nil,
        email: String? = nil,
        fullName: PersonNameComponents? = nil,
        isLikelyReal: Bool? = nil
    ) {
        self.user = user
        self.state = state
        self.authorizedScopes = authorizedScopes
        self.authorizationCode = authorizationCode
        self.codeExchange = codeExchange
        self.identityToken = identityToken
        self.email = email
        self.fullName = fullName
        self.isLikelyReal = isLikelyReal
    }
}

/// Signs a person in with another account.
///
/// When the app cancels, the calling task is cancelled, and the sign-in ends with ``ASAuthorizationError/canceled``.
package protocol AppleIDAuthorizing: Sendable {
    /// Signs the person in.
    func authorize(_ request: AppleIDRequestValues) async throws(ASAuthorizationError) -> AppleIDCredentialValues

    /// Whether an account that signed in before may still sign in.
    func credentialState(
        forUserID userID: String
    ) async throws(ASAuthorizationError) -> ASAuthorizationAppleIDProvider.CredentialState
}

/// The sign-in implementation of this program.
package enum AppleIDAuthorization {
    private static let installed = Mutex<(any AppleIDAuthorizing)?>(nil)
    /// The implementation for the current task, for tests.
    @TaskLocal package static var local: (any AppleIDAuthorizing)?

    /// Sets the implementation for this program.
    package static func install(_ authorizing: (any AppleIDAuthorizing)?) {
        installed.withLock { $0 = authorizing }
    }

    /// The implementation to use, or `nil` if no issuer is configured.
    ///
    /// The program's own setting takes precedence over the person's configuration, which is read each time.
    package static var current: (any AppleIDAuthorizing)? {
        if let named = local ?? installed.withLock({ $0 }) { return named }
        do throws(ASAuthorizationError) {
            return try OpenIDConnectConfiguration.ofPerson().map { OpenIDConnectAuthorization($0) }
        } catch {
            return UnusableIssuer(error: error)
        }
    }
}

/// A configuration that exists but is not valid.
///
/// Every call throws the reason.
private struct UnusableIssuer: AppleIDAuthorizing {
    let error: ASAuthorizationError

    func authorize(_: AppleIDRequestValues) throws(ASAuthorizationError) -> AppleIDCredentialValues { throw error }
    func credentialState(
        forUserID _: String
    ) throws(ASAuthorizationError) -> ASAuthorizationAppleIDProvider.CredentialState { throw error }
}
