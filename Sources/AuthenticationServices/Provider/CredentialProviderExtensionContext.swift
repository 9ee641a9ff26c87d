public import Foundation
internal import Synchronization

/// Ends a request to a credential manager: with a credential, or without one.
///
/// Only the first call has an effect. A completion handler gets `true` if its call was the first one and the agent still waits
/// for the answer.
public final class ASCredentialProviderExtensionContext: NSObject, Sendable {
    /// How a request ended.
    enum Answer: Sendable {
        case password(ASPasswordCredential)
        case oneTimeCode(ASOneTimeCodeCredential)
        case assertion(ASPasskeyAssertionCredential)
        case registration(ASPasskeyRegistrationCredential)
        case configured
        case text(String)
        case saved
        case generated([ASGeneratedPassword])
        case failed(ASExtensionError)
    }

    private enum State: Sendable {
        case idle
        /// An answer that came before the server waited for it.
        case answered(Answer)
        case waiting(CheckedContinuation<Answer, Never>)
        case over
    }

    private let state = Mutex(State.idle)

    /// Answers with a password.
    public func completeRequest(
        withSelectedCredential credential: ASPasswordCredential,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        end(.password(credential), completionHandler)
    }

    /// Answers with a signature.
    public func completeAssertionRequest(
        using credential: ASPasskeyAssertionCredential,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        end(.assertion(credential), completionHandler)
    }

    /// Answers with a new passkey.
    public func completeRegistrationRequest(
        using credential: ASPasskeyRegistrationCredential,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        end(.registration(credential), completionHandler)
    }

    /// Answers with a verification code.
    public func completeOneTimeCodeRequest(
        using credential: ASOneTimeCodeCredential,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        end(.oneTimeCode(credential), completionHandler)
    }

    /// Answers with a text to insert.
    public func completeRequest(withTextToInsert text: String, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        end(.text(text), completionHandler)
    }

    /// Reports that the password was saved.
    public func completeSavePasswordRequest(completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        end(.saved, completionHandler)
    }

    /// Answers with new passwords, best first.
    public func completeGeneratePasswordRequest(
        results: [ASGeneratedPassword],
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        end(.generated(results), completionHandler)
    }

    /// Reports that the manager is set up.
    public func completeExtensionConfigurationRequest() { end(.configured, nil) }

    /// Ends the request without a credential.
    ///
    /// - Parameter error: An ``ASExtensionError``; any other error counts as ``ASExtensionError/Code/failed``.
    public func cancelRequest(withError error: any Error) {
        end(.failed(error as? ASExtensionError ?? ASExtensionError(.failed)), nil)
    }

    private func end(_ answer: Answer, _ completion: (@Sendable (Bool) -> Void)?) {
        // The task is resumed outside the lock: resuming waits while the task is being cancelled, and cancelling waits for the
        // lock.
        let (wasTaken, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
            switch state {
            case .idle:
                state = .answered(answer)
                return (true, nil)
            case .waiting(let continuation):
                state = .over
                return (true, continuation)
            case .answered, .over: return (false, nil)
            }
        }
        waiting?.resume(returning: answer)
        completion?(wasTaken)
    }

    /// Waits until the request ends.
    ///
    /// Call it once for each request.
    ///
    /// - Throws: `CancellationError` when nobody wants the answer any more.
    func answer() async throws -> Answer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Answer? in
                    switch state {
                    case .answered(let answer):
                        state = .over
                        return answer
                    case .idle:
                        state = .waiting(continuation)
                        return nil
                    case .waiting, .over: return .failed(ASExtensionError(.failed))
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end(.failed(ASExtensionError(.userCanceled)), nil)
        }
        try Task.checkCancellation()
        return answer
    }

    /// Prepares the context for the second part of a request, after the first part required a prompt.
    func reopen() { state.withLock { $0 = .idle } }
}
