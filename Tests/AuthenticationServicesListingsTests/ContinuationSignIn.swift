import AuthenticationServices
import Foundation

/// A sign-in as a function, as many apps have it: the delegate resumes a continuation.
@MainActor
final class ContinuationSignIn: NSObject, ASAuthorizationControllerDelegate {
    private var continuation: CheckedContinuation<ASAuthorization, any Error>?

    func perform(_ requests: [ASAuthorizationRequest]) async throws -> ASAuthorization {
        try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            let controller = ASAuthorizationController(authorizationRequests: requests)
            controller.delegate = self
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        continuation?.resume(returning: authorization)
        continuation = nil
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}

/// The user name of a password, found off the main actor.
func userName(of authorization: ASAuthorization) async -> String? {
    await Task.detached { (authorization.credential as? ASPasswordCredential)?.user }.value
}
