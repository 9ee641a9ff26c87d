import Foundation
import WardAgentClient

/// Why a command ends without having done what it should: one sentence, and an exit status by kind.
struct Failure: Error, CustomStringConvertible {
    /// The exit status, which scripts rely on; the manual lists them.
    enum Status: Int32 {
        case failed = 1
        case usage = 2
        case locked = 3
        case missing = 4
        case denied = 5
        case wrongKey = 6
        case damaged = 7
        case conflict = 8
        case unavailable = 9
        case ambiguous = 10
    }

    let status: Status
    let code: String
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        code = "\(status)"
        self.description = description
    }

    init(_ error: AgentError) {
        code = error.code.rawValue
        description = error.message
        status =
            switch code {
            case "locked", "closed": .locked
            case "itemMissing", "vaultMissing", "providerMissing": .missing
            case "denied", "promptMissing", "promptFailed": .denied
            case "wrongPassphrase", "wrongRecoveryKey", "wrongSecretKey", "secretKeyMissing", "tooManyAttempts",
                "emptyPassphrase":
                .wrongKey
            case "damaged", "rolledBack", "unknownVersion", "unknownDevice", "unprovenVault", "forgedVault",
                "weakKeyDerivation", "malformedItem", "unsafeFile":
                .damaged
            case "conflict", "vaultExists", "itemTooLarge", "tooManyProviders", "unusablePath": .conflict
            case "unreachable", "busy", "unavailable", "providerFailed", "diskFull", "inUse", "readOnly",
                "versionMismatch",
                "notPermitted",
                "appUnknown":
                .unavailable
            case "ambiguous": .ambiguous
            case "invalidValue": .usage
            default: .failed
            }
    }
}
