public import Foundation

/// The domain of ``ASAuthorizationError``.
public let ASAuthorizationErrorDomain = "com.apple.AuthenticationServices.AuthorizationError"

/// The error of a failed authorization.
///
/// As on Apple's platforms, `error as? ASAuthorizationError` works on a delegate's error, and both `case .canceled` on
/// its ``code`` and `catch ASAuthorizationError.canceled` match. Here `localizedDescription` is always a sentence for
/// the person, in English: the problem, and the next step if there is one. <doc:Errors> lists when each code occurs.
public struct ASAuthorizationError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// The kind of failure.
    ///
    /// The numbers are Apple's.
    public enum Code: Int, Sendable {
        /// An unexpected failure, such as an invalid message of the agent.
        case unknown = 1000
        /// The person declined, the app called ``ASAuthorizationController/cancel()``, or no credential matches: the app should
        /// show its own form.
        case canceled = 1001
        /// The answer cannot be read.
        case invalidResponse = 1002
        /// Nobody handled the request: no agent runs, or no issuer is configured.
        case notHandled = 1003
        /// The request was refused: the app is unknown, its domain does not list it, or the request is invalid.
        case failed = 1004
        /// The request needs the person, but no prompt is possible.
        case notInteractive = 1005
        /// An excluded credential exists.
        case matchedExcludedCredential = 1006
        /// Never occurs here.
        case credentialImport = 1007
        /// Never occurs here.
        case credentialExport = 1008
        /// The person prefers to sign in with another account.
        case preferSignInWithApple = 1009
        /// Passkeys are switched off on this machine.
        case deviceNotConfiguredForPasskeyCreation = 1010
    }

    private let error: NSError

    /// The kind of failure.
    public var code: Code { Code(rawValue: error.code) ?? .unknown }
    /// The numeric code.
    public var errorCode: Int { error.code }
    /// ``ASAuthorizationErrorDomain``.
    public static var errorDomain: String { ASAuthorizationErrorDomain }
    /// More details, under Foundation's keys.
    public var userInfo: [String: Any] { error.userInfo }
    /// More details, under Foundation's keys.
    public var errorUserInfo: [String: Any] { error.userInfo }
    /// The error as one sentence for the person.
    public var errorDescription: String? {
        error.userInfo[NSLocalizedDescriptionKey] as? String ?? Self.sentence(code)
    }
    /// The error as one sentence for the person.
    public var localizedDescription: String { errorDescription ?? Self.sentence(code) }
    /// The reason, without the next step.
    public var failureReason: String? { error.userInfo[NSLocalizedFailureReasonErrorKey] as? String }

    /// Creates an error from a code and more details.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        error = NSError(domain: ASAuthorizationErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    package init(_ code: Code, _ sentence: String) {
        self.init(
            code,
            userInfo: [NSLocalizedDescriptionKey: sentence, NSLocalizedFailureReasonErrorKey: sentence]
        )
    }

    /// Errors are equal if their codes and details are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.error == rhs.error }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(error.code) }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .unknown: "the authorization failed for an unknown reason"
        case .canceled: "the authorization was cancelled"
        case .invalidResponse: "the answer to the authorization cannot be read"
        case .notHandled: "nobody took the authorization"
        case .failed: "the authorization was refused"
        case .notInteractive: "the authorization needs the person, who may not be asked"
        case .matchedExcludedCredential: "there is a credential for this account already"
        case .credentialImport: "the credentials cannot be taken over"
        case .credentialExport: "the credentials cannot be handed over"
        case .preferSignInWithApple: "the person prefers an account they have elsewhere"
        case .deviceNotConfiguredForPasskeyCreation: "passkeys are switched off on this machine"
        }
    }
}

extension ASAuthorizationError {
    /// The code ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// The code ``Code/canceled``.
    public static var canceled: Code { .canceled }
    /// The code ``Code/invalidResponse``.
    public static var invalidResponse: Code { .invalidResponse }
    /// The code ``Code/notHandled``.
    public static var notHandled: Code { .notHandled }
    /// The code ``Code/failed``.
    public static var failed: Code { .failed }
    /// The code ``Code/notInteractive``.
    public static var notInteractive: Code { .notInteractive }
    /// The code ``Code/matchedExcludedCredential``.
    public static var matchedExcludedCredential: Code { .matchedExcludedCredential }
    /// The code ``Code/credentialImport``.
    public static var credentialImport: Code { .credentialImport }
    /// The code ``Code/credentialExport``.
    public static var credentialExport: Code { .credentialExport }
    /// The code ``Code/preferSignInWithApple``.
    public static var preferSignInWithApple: Code { .preferSignInWithApple }
    /// The code ``Code/deviceNotConfiguredForPasskeyCreation``.
    public static var deviceNotConfiguredForPasskeyCreation: Code { .deviceNotConfiguredForPasskeyCreation }
}

extension ASAuthorizationError.Code {
    /// Matches errors with this code, so that `catch ASAuthorizationError.canceled` works.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? ASAuthorizationError)?.code == code
    }
}
