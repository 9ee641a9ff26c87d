internal import Foundation
internal import WardAgentClient
internal import WardTerminal

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
        // Names that others chose are in it, and apps write it to terminals.
        let sentence = ShownText.clean(error.message)
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: sentence, NSLocalizedFailureReasonErrorKey: sentence,
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
