/// The result of a request.
public enum ASAuthorizationResult: Sendable {
    /// A sign-in with another account of the person.
    case appleID(ASAuthorizationAppleIDCredential)
    /// A password.
    case password(ASPasswordCredential)
    /// A sign-in with a passkey.
    case passkeyAssertion(ASAuthorizationPlatformPublicKeyCredentialAssertion)
    /// A new passkey.
    case passkeyRegistration(ASAuthorizationPlatformPublicKeyCredentialRegistration)
    /// A sign-in with a security key.
    case securityKeyAssertion(ASAuthorizationSecurityKeyPublicKeyCredentialAssertion)
    /// A new credential on a security key.
    case securityKeyRegistration(ASAuthorizationSecurityKeyPublicKeyCredentialRegistration)
    /// Another way to sign in, on tvOS. It never occurs on Linux.
    case customMethod(ASAuthorizationCustomMethod)
    /// A new account.
    case passkeyAccountCreation(ASAuthorizationAccountCreationPlatformPublicKeyCredential)

    init(_ credential: any ASAuthorizationCredential) throws(ASAuthorizationError) {
        switch credential {
        case let credential as ASAuthorizationAppleIDCredential: self = .appleID(credential)
        case let credential as ASPasswordCredential: self = .password(credential)
        case let credential as ASAuthorizationPlatformPublicKeyCredentialAssertion:
            self = .passkeyAssertion(credential)
        case let credential as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            self = .passkeyRegistration(credential)
        case let credential as ASAuthorizationSecurityKeyPublicKeyCredentialAssertion:
            self = .securityKeyAssertion(credential)
        case let credential as ASAuthorizationSecurityKeyPublicKeyCredentialRegistration:
            self = .securityKeyRegistration(credential)
        case let credential as ASAuthorizationAccountCreationPlatformPublicKeyCredential:
            self = .passkeyAccountCreation(credential)
        default:
            throw ASAuthorizationError(
                .invalidResponse,
                "results of the class \(type(of: credential)) are not supported"
            )
        }
    }
}

/// Performs requests and waits for the result.
///
/// On Apple's platforms it is a value of SwiftUI's environment, `\.authorizationController`; here you create it with
/// ``init()``. Cancelling the task cancels the requests, and the call throws ``ASAuthorizationError/canceled``.
@MainActor
public struct AuthorizationController: Sendable {
    /// Creates a controller.
    public nonisolated init() {}

    /// Performs one request.
    public func performRequest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationResult {
        try await performRequests([request])
    }

    /// Performs one request, with options for the sheet.
    public func performRequest(
        _ request: ASAuthorizationRequest,
        options: ASAuthorizationController.RequestOptions
    ) async throws -> ASAuthorizationResult {
        try await performRequests([request], options: options)
    }

    /// Performs one request.
    ///
    /// The other ways to sign in are for tvOS and are ignored here.
    public func performRequest(
        _ request: ASAuthorizationRequest,
        customMethods: [ASAuthorizationCustomMethod]
    ) async throws -> ASAuthorizationResult {
        try await performRequests([request], customMethods: customMethods)
    }

    /// Performs requests in one sheet.
    public func performRequests(_ requests: [ASAuthorizationRequest]) async throws -> ASAuthorizationResult {
        try await performRequests(requests, options: [])
    }

    /// Performs requests in one sheet, with options for it.
    public func performRequests(
        _ requests: [ASAuthorizationRequest],
        options: ASAuthorizationController.RequestOptions
    ) async throws -> ASAuthorizationResult {
        try await result(requests) { $0.performRequests(options: options) }
    }

    /// Performs requests in one sheet.
    ///
    /// The other ways to sign in are for tvOS and are ignored here.
    public func performRequests(
        _ requests: [ASAuthorizationRequest],
        customMethods: [ASAuthorizationCustomMethod]
    ) async throws -> ASAuthorizationResult {
        try await result(requests) { controller in
            controller.customAuthorizationMethods = customMethods
            controller.performRequests()
        }
    }

    /// Waits until the person picks an answer in a text field.
    public func performAutoFillAssistedRequest(
        _ request: ASAuthorizationRequest
    ) async throws -> ASAuthorizationResult {
        try await performAutoFillAssistedRequests([request])
    }

    /// Waits until the person picks an answer in a text field.
    public func performAutoFillAssistedRequests(
        _ requests: [ASAuthorizationRequest]
    ) async throws -> ASAuthorizationResult {
        try await result(requests) { $0.performAutoFillAssistedRequests() }
    }

    private func result(
        _ requests: [ASAuthorizationRequest],
        _ perform: (ASAuthorizationController) -> Void
    ) async throws -> ASAuthorizationResult {
        let controller = ASAuthorizationController(authorizationRequests: requests)
        let awaiting = AwaitingDelegate()
        controller.delegate = awaiting
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                awaiting.continuation = continuation
                perform(controller)
                if Task.isCancelled { controller.cancel() }
            }
        } onCancel: {
            controller.cancel()
        }
    }
}

/// Resumes the waiting task with the result.
@MainActor
private final class AwaitingDelegate: NSObject, ASAuthorizationControllerDelegate {
    var continuation: CheckedContinuation<ASAuthorizationResult, any Error>?

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        resume(Result { () throws(ASAuthorizationError) in try ASAuthorizationResult(authorization.credential) })
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        resume(Result<ASAuthorizationResult, any Error>.failure(error))
    }

    private func resume(_ result: Result<ASAuthorizationResult, some Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}
