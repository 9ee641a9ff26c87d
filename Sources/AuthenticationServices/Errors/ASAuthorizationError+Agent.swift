internal import Foundation
internal import WardAgentClient
internal import WardTerminal

extension ASAuthorizationError {
    /// The app's error for an error of the agent.
    ///
    /// - Parameter error: The agent's error. Its sentence is kept.
    init(_ error: AgentError) {
        let code: Code =
            switch error.code {
            // The app's error for an error of the agent in a modal request. On Apple's platforms the person closes an empty
            // sheet, and apps then show their form.
            case .denied, .nothingAvailable: .canceled
            case .matchedExcluded: .matchedExcludedCredential
            case .passkeysOff: .deviceNotConfiguredForPasskeyCreation
            case .unreachable, .versionMismatch, .unknownMethod: .notHandled
            case .locked, .promptMissing, .promptFailed: .notInteractive
            case .appUnknown, .notAssociated, .notPermitted, .invalidCombination, .invalidValue, .ceremonyFailed,
                .wrongPassphrase, .tooManyAttempts, .itemMissing:
                .failed
            default: .unknown
            }
        // The sentence can contain names from other programs, and apps write it to terminals. So control characters are
        // removed.
        let sentence = ShownText.clean(error.message)
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: sentence, NSLocalizedFailureReasonErrorKey: sentence,
                Self.agentCodeKey: error.code.rawValue,
            ]
        )
    }

    /// The key in ``userInfo`` for the agent's error code, such as `not_associated`.
    public static let agentCodeKey = "WardAgentErrorCode"

    /// Whether the agent says that no credential matches.
    var isNothingAvailable: Bool {
        userInfo[Self.agentCodeKey] as? String == AgentError.Code.nothingAvailable.rawValue
    }
}
