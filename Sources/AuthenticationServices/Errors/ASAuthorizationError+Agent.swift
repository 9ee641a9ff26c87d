internal import Foundation
internal import WardAgentClient

extension ASAuthorizationError {
    /// What an app is told of what the agent refused with.
    ///
    /// - Parameters:
    ///   - error: The agent's refusal: its sentence goes on.
    ///   - onlyWhatIsHere: Whether only what is here was asked for: that there is nothing is then no failure.
    init(_ error: AgentError, onlyWhatIsHere: Bool = false) {
        let code: Code =
            switch error.code {
            case .denied: .canceled
            case .nothingAvailable: onlyWhatIsHere ? .canceled : .notHandled
            case .matchedExcluded: .matchedExcludedCredential
            case .passkeysOff: .deviceNotConfiguredForPasskeyCreation
            case .unreachable, .versionMismatch, .unknownMethod: .notHandled
            case .locked, .promptMissing, .promptFailed: .notInteractive
            case .appUnknown, .notAssociated, .notPermitted, .invalidCombination, .invalidValue, .ceremonyFailed,
                .wrongPassphrase, .tooManyAttempts, .itemMissing:
                .failed
            default: .unknown
            }
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: error.message, NSLocalizedFailureReasonErrorKey: error.message,
                Self.agentCodeKey: error.code.rawValue,
            ]
        )
    }

    /// The key of ``userInfo`` under which the agent's own word for its refusal stands, such as `notAssociated`.
    public static let agentCodeKey = "WardAgentErrorCode"

    /// Whether the agent says that there is nothing that would answer.
    var isNothingAvailable: Bool {
        userInfo[Self.agentCodeKey] as? String == AgentError.Code.nothingAvailable.rawValue
    }
}
