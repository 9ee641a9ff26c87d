import Foundation
import WardAgentClient
import WardVault

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

    init(_ status: Status, _ description: String, code: String? = nil) {
        self.status = status
        self.code = code ?? "\(status)"
        self.description = description
    }

    init(_ error: AgentError) {
        code = error.code.rawValue
        description = error.message
        status = Self.statuses[code] ?? .failed
    }

    /// The exit status of each code of the agent and the vault.
    ///
    /// Every other code gives the status of a general failure.
    private static let statuses: [String: Status] = {
        let agent: [(Status, [AgentError.Code])] = [
            (.locked, [.locked]), (.missing, [.itemMissing, .providerMissing]),
            (.denied, [.denied, .promptMissing, .promptFailed]), (.key, [.wrongPassphrase, .tooManyAttempts]),
            (.conflict, [.conflict, .tooManyProviders]),
            (
                .unavailable,
                [.unreachable, .busy, .providerFailed, .inUse, .versionMismatch, .notPermitted, .appUnknown]
            ),
            (.ambiguous, [.ambiguous]), (.usage, [.invalidValue]),
        ]
        let vault: [(Status, [VaultError.Code])] = [
            (.locked, [.locked, .closed]), (.missing, [.itemMissing, .vaultMissing]),
            (.key, [.wrongPassphrase, .wrongRecoveryKey, .wrongSecretKey, .secretKeyMissing, .emptyPassphrase]),
            (
                .damaged,
                [
                    .damaged, .rolledBack, .unknownVersion, .unknownDevice, .unprovenVault, .forgedVault,
                    .weakKeyDerivation, .malformedItem, .unsafeFile,
                ]
            ),
            (
                .conflict,
                [.conflict, .vaultExists, .itemTooLarge, .attachmentTooLarge, .tooManyAttachments, .unusablePath]
            ),
            (.unavailable, [.unavailable, .diskFull, .inUse, .readOnly, .vaultIncomplete]),
            (.conflict, [.notInCircle]), (.missing, [.noCircle]), (.key, [.passphraseNeeded, .keyNotGiven]),
        ]
        let sync: [(Status, [String])] = [
            (.missing, ["sync_off"]), (.damaged, ["device_copied", "invalid_records", "wrong_answer"]),
            (
                .unavailable,
                [
                    "folder_missing", "folder_denied", "folder_blocked", "folder_unavailable", "not_answered",
                    "earlier_place",
                ]
            ),
            (.conflict, ["contradiction", "too_many_segments", "too_many_files"]),
            (.denied, ["sign_in_refused"]), (.unavailable, ["sign_in_over"]), (.missing, ["no_server", "no_folder"]),
        ]
        let server: [(Status, [String])] = [
            (
                .unavailable,
                [
                    "server_unreachable", "server_too_slow", "server_redirects", "server_answer_wrong",
                    "session_required", "quota_exceeded", "too_many_requests", "internal_error", "head_moved", "gap",
                    "blob_missing", "number_ahead", "body_too_large", "meeting_over", "pairing_ended",
                ]
            ),
            (
                .damaged,
                [
                    "server_hides_entries", "server_sends_wrong_data", "blob_wrong", "entry_refused", "entry_void",
                    "vault_not_valid", "statement_refused", "message_refused", "pairing_malformed",
                ]
            ),
            (
                .conflict,
                [
                    "equivocation", "circle_root_required", "circle_root_not_found", "circle_root_differs",
                    "too_many_chains", "too_many_vaults", "if_match_required", "meeting_taken",
                    "other_host", "vault_too_large",
                ]
            ),
            (
                .denied,
                [
                    "session_refused", "device_removed", "invitation_required", "invitation_not_valid",
                    "sign_in_not_offered", "server_refused", "pairing_refused", "codes_differ",
                ]
            ),
            (.missing, ["not_found", "meeting_not_found"]),
        ]
        let all =
            agent.flatMap { status, codes in codes.map { ($0.rawValue, status) } }
            + vault.flatMap { status, codes in codes.map { ($0.name, status) } }
            + (sync + server).flatMap { status, codes in codes.map { ($0, status) } }
        return Dictionary(all) { first, _ in first }
    }()
}
