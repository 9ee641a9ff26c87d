import ArgumentParser
import Foundation
import WardAgentClient

/// Words that say whether passkeys count as backed up.
enum BackupText {
    static func lines(_ state: BackupRecordState?) -> [String] {
        guard let state else { return [] }
        guard !state.missing.isEmpty else { return ["Your passkeys count as backed up."] }
        return ["Your passkeys do not count as backed up yet:"] + state.missing.map { "  " + reason($0, state) }
    }

    /// One line for `ward status`.
    static func summary(_ state: BackupRecordState) -> String {
        guard let copiedAt = state.copiedAt, let path = state.path else {
            return "none on another disk: ward backup PLACE"
        }
        return "\(When.minute(copiedAt)), \(Paths.short(Table.clean(path)))"
    }

    private static func reason(_ missing: String, _ state: BackupRecordState) -> String {
        switch missing {
        case "copy":
            "no backup is on another disk: ward backup PLACE, with --elsewhere if PLACE is copied to another machine"
        case "key": "no key was typed from paper: ward backup --confirm-recovery-key"
        case "passkeys":
            "\(state.passkeys - state.copiedPasskeys) of \(state.passkeys) passkeys are newer than the backup: ward backup PLACE"
        default: missing
        }
    }
}
