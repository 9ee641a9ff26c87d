public import Foundation

/// Makes requests to sign in with another account of the person.
///
/// On Apple's platforms that is the person's Apple Account. Here it is an account at the OpenID Connect issuer in
/// ``OpenIDConnectConfiguration``. Without an issuer, requests end with ``ASAuthorizationError/notHandled``.
open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
    /// Whether an account that signed in before may still sign in.
    public enum CredentialState: Int, Sendable {
        /// The account may no longer sign in: sign the person out.
        case revoked = 0
        /// The account may sign in.
        case authorized = 1
        /// The account is unknown on this machine: show the sign-in.
        case notFound = 2
        /// The app moved to another team.
        ///
        /// This value never occurs on Linux.
        case transferred = 3
    }

    /// A notification that Apple's platforms post when an account is revoked.
    ///
    /// It is never posted on Linux.
    public class var credentialRevokedNotification: NSNotification.Name {
        NSNotification.Name("ASAuthorizationAppleIDProviderCredentialRevokedNotification")
    }

    /// Creates a provider.
    public override init() { super.init() }

    /// Makes a request.
    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest(self) }

    /// Calls back with the state of an account.
    ///
    /// - Parameters:
    ///   - userID: The ``ASAuthorizationAppleIDCredential/user`` of an earlier sign-in.
    ///   - completion: Called once with the state, or with ``CredentialState/notFound`` and an error.
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

    /// The state of an account.
    ///
    /// - Parameter userID: The ``ASAuthorizationAppleIDCredential/user`` of an earlier sign-in.
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
            "no OpenID Connect issuer is configured: name one in ~/.config/ward/openid-connect.json"
        )
    }
}
