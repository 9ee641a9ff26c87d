internal import Foundation
internal import WardAgentClient
internal import WardTerminal

extension ASAuthorizationError {
    /// What an app is told of what the agent refused with.
    ///
    /// - Parameter error: The agent's refusal: its sentence goes on.
    init(_ error: AgentError) {
        let code: Code =
            switch error.code {
            // Of a modal request too: on Apple's platforms a sheet with nothing in it is one that the person closes, and apps
            // show their form then.
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

    /// The key of ``userInfo`` under which the agent's own word for its refusal stands, such as `not_associated`.
    public static let agentCodeKey = "WardAgentErrorCode"

    /// Whether the agent says that there is nothing that would answer.
    var isNothingAvailable: Bool {
        userInfo[Self.agentCodeKey] as? String == AgentError.Code.nothingAvailable.rawValue
    }
}
