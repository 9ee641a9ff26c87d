public import Foundation

/// Makes requests to sign in with an account the person has elsewhere.
///
/// On Apple's platforms the account is the person's Apple Account. Here it is one at the OpenID Connect issuer that
/// ``OpenIDConnectConfiguration`` names; without one, requests end with ``ASAuthorizationError/notHandled``.
open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
    /// Whether an account that signed in before still may.
    public enum CredentialState: Int, Sendable {
        /// No longer: sign the person out.
        case revoked = 0
        /// It may.
        case authorized = 1
        /// Nothing is known of it: show the sign-in.
        case notFound = 2
        /// The app went to another team; never given here.
        case transferred = 3
    }

    /// Posted on Apple's platforms when an account is revoked; never posted here.
    public class var credentialRevokedNotification: NSNotification.Name {
        NSNotification.Name("ASAuthorizationAppleIDProviderCredentialRevokedNotification")
    }

    /// Makes a provider.
    public override init() { super.init() }

    /// Makes a request.
    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest(self) }

    /// Asks whether an account still may sign in.
    ///
    /// - Parameters:
    ///   - userID: The ``ASAuthorizationAppleIDCredential/user`` of its sign-in.
    ///   - completion: Called once with the state, or with ``CredentialState/notFound`` and why it is not known.
    open func getCredentialState(
        forUserID userID: String,
        completion: @escaping @Sendable (CredentialState, (any Error)?) -> Void
    ) {
        let authorizing = AppleIDAuthorization.current
        Task {
            do {
                completion(try await ASAuthorizationAppleIDProvider.state(userID, authorizing), nil)
            } catch {
                completion(.notFound, error)
            }
        }
    }

    /// Asks whether an account still may sign in.
    ///
    /// - Parameter userID: The ``ASAuthorizationAppleIDCredential/user`` of its sign-in.
    /// - Returns: The state.
    /// - Throws: ``ASAuthorizationError``.
    open func credentialState(forUserID userID: String) async throws -> CredentialState {
        try await ASAuthorizationAppleIDProvider.state(userID, AppleIDAuthorization.current)
    }

    private static func state(
        _ userID: String,
        _ authorizing: (any AppleIDAuthorizing)?
    ) async throws(ASAuthorizationError) -> CredentialState {
        guard let authorizing else { throw .noIssuer }
        return try await authorizing.credentialState(forUserID: userID)
    }
}

extension ASAuthorizationError {
    package static var noIssuer: Self {
        Self(
            .notHandled,
            "no issuer is configured that would sign people in: name one in ~/.config/ward/openid-connect.json"
        )
    }
}
