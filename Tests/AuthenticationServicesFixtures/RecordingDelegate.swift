package import AuthenticationServices

/// Remembers what it was told, and insists on being told on the main actor.
@MainActor
package final class RecordingDelegate: NSObject, ASAuthorizationControllerDelegate {
    /// What came, in order.
    package private(set) var endings: [Result<any ASAuthorizationCredential, ASAuthorizationError>] = []
    /// Called with each.
    package var onEnding: (@MainActor () -> Void)?

    package nonisolated override init() { super.init() }

    package func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        record(.success(authorization.credential))
    }

    package func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithError error: any Error
    ) {
        record(.failure(error as? ASAuthorizationError ?? ASAuthorizationError(.unknown)))
    }

    private func record(_ ending: Result<any ASAuthorizationCredential, ASAuthorizationError>) {
        // Ends the test run where it is not so.
        MainActor.preconditionIsolated()
        endings.append(ending)
        onEnding?()
    }

    /// The codes of the errors, `nil` for successes.
    package var codes: [ASAuthorizationError.Code?] {
        endings.map { if case .failure(let error) = $0 { error.code } else { nil } }
    }
}
