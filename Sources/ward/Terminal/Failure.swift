import Foundation
import WardAgentClient

/// An error of a command: one sentence, and an exit status by kind.
struct Failure: Error, CustomStringConvertible {
    /// The exit status, which scripts rely on; the manual lists them.
    ///
    /// Each name is one word, because it is also a code in JSON.
    enum Status: Int32 {
        case failed = 1
        case usage = 2
        case locked = 3
        case missing = 4
        case denied = 5
        case key = 6
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
            case "item_missing", "vault_missing", "provider_missing": .missing
            case "denied", "prompt_missing", "prompt_failed": .denied
            case "wrong_passphrase", "wrong_recovery_key", "wrong_secret_key", "secret_key_missing",
                "too_many_attempts", "empty_passphrase":
                .key
            case "damaged", "rolled_back", "unknown_version", "unknown_device", "unproven_vault", "forged_vault",
                "weak_key_derivation", "malformed_item", "unsafe_file":
                .damaged
            case "conflict", "vault_exists", "item_too_large", "too_many_providers", "unusable_path": .conflict
            case "unreachable", "busy", "unavailable", "provider_failed", "disk_full", "in_use", "read_only",
                "version_mismatch", "not_permitted", "app_unknown":
                .unavailable
            case "ambiguous": .ambiguous
            case "invalid_value": .usage
            default: .failed
            }
    }
}
