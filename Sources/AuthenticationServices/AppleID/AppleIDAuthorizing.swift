internal import Synchronization
package import struct Foundation.Data
package import struct Foundation.PersonNameComponents

/// What an ``ASAuthorizationAppleIDRequest`` asks for, as a value.
package struct AppleIDRequestValues: Hashable, Sendable {
    /// The account that signed in before, if it shall be the same one.
    package var user: String?
    /// The words of OpenID Connect that the app asked for: `name`, `email`.
    package var requestedScopes: [String]
    /// What comes back with the answer.
    package var state: String?
    /// What the identity token must hold.
    package var nonce: String?
    /// `login`, `refresh`, `logout` or `implicit`.
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

/// What an issuer answered, as a value, its identity token verified.
package struct AppleIDCredentialValues: Hashable, Sendable {
    /// The subject of the identity token.
    package var user: String
    /// The state of the request, compared already.
    package var state: String?
    /// The scopes that were granted: `name`, `email`.
    package var authorizedScopes: [String]
    /// What the app's service exchanges for tokens of its own.
    package var authorizationCode: Data?
    /// The identity token, in its compact form.
    package var identityToken: Data?
    /// The e-mail address, where it was asked for and given.
    package var email: String?
    /// The name, where it was asked for and given.
    package var fullName: PersonNameComponents?
    /// Whether the issuer says that it is a real person; absent when it says nothing.
    package var isLikelyReal: Bool?

    package init(
        user: String,
        state: String? = nil,
        authorizedScopes: [String] = [],
        authorizationCode: Data? = nil,
        identityToken: Data? = nil,
        email: String? = nil,
        fullName: PersonNameComponents? = nil,
        isLikelyReal: Bool? = nil
    ) {
        self.user = user
        self.state = state
        self.authorizedScopes = authorizedScopes
        self.authorizationCode = authorizationCode
        self.identityToken = identityToken
        self.email = email
        self.fullName = fullName
        self.isLikelyReal = isLikelyReal
    }
}

/// Who signs a person in with an account they have elsewhere.
///
/// The task that asks is cancelled when the app cancels: whatever is open then ends with ``ASAuthorizationError/canceled``.
package protocol AppleIDAuthorizing: Sendable {
    /// Signs the person in.
    func authorize(_ request: AppleIDRequestValues) async throws(ASAuthorizationError) -> AppleIDCredentialValues

    /// Whether an account that signed in before still may.
    func credentialState(
        forUserID userID: String
    ) async throws(ASAuthorizationError) -> ASAuthorizationAppleIDProvider.CredentialState
}

/// Who does it in this program.
package enum AppleIDAuthorization {
    private static let installed = Mutex<(any AppleIDAuthorizing)?>(nil)
    /// Who does it in this task, for tests.
    @TaskLocal package static var local: (any AppleIDAuthorizing)?

    /// Says who does it from now on.
    package static func install(_ authorizing: (any AppleIDAuthorizing)?) {
        installed.withLock { $0 = authorizing }
    }

    /// Who does it; `nil` while no issuer is configured, and then there is no such sign-in.
    ///
    /// The one that this program names comes before the one that the person configured, which is looked up each time.
    package static var current: (any AppleIDAuthorizing)? {
        if let named = local ?? installed.withLock({ $0 }) { return named }
        do throws(ASAuthorizationError) {
            return try OpenIDConnectConfiguration.ofPerson().map { OpenIDConnectAuthorization($0) }
        } catch {
            return UnusableIssuer(error: error)
        }
    }
}

/// A configuration that is there and cannot be used: whoever asks hears what is wrong with it.
private struct UnusableIssuer: AppleIDAuthorizing {
    let error: ASAuthorizationError

    func authorize(_: AppleIDRequestValues) throws(ASAuthorizationError) -> AppleIDCredentialValues { throw error }
    func credentialState(
        forUserID _: String
    ) throws(ASAuthorizationError) -> ASAuthorizationAppleIDProvider.CredentialState { throw error }
}
