import ArgumentParser
import Foundation
import WardAgentClient

/// Copies the vault.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the vault to another disk, and check the copy.",
        discussion: """
            PLACE is a file, or a folder in which the backup gets a dated name. The vault can be open. The backup is \
            complete, and ward checks it from the first entry to the last before it replaces an older one. With --no-prompt, \
            a locked vault stays locked: ward checks the signatures of the backup, but does not decrypt its items.

            A backup opens with your passphrase and the Secret Key, or with the recovery key. Keep the Secret Key or the \
            recovery key outside this machine too. To restore a backup: ward restore --from PLACE.

            Sites see your passkeys as backed up after two steps: ward checked a backup on another disk, and you typed the \
            recovery key or the Secret Key from paper once, with ward backup --confirm-recovery-key.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("A file, or a folder.", valueName: "place"))
    var place: String?
    @Option(
        help: ArgumentHelp(
            "Keep this many backups of this vault in the folder, and remove older ones.",
            valueName: "number"
        )
    )
    var keep: Int?
    @Flag(help: "Write the Secret Key beside the backup. Then only the passphrase protects the backup.")
    var withSecretKey = false
    @Flag(help: "Say that another program copies the folder to another machine, although it is on this disk.")
    var elsewhere = false
    @Flag(help: "Type the recovery key or the Secret Key from paper. This shows that you have it outside this disk.")
    var confirmRecoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read the recovery key or the Secret Key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?

    func validate() throws {
        guard place != nil || confirms else {
            throw ValidationError("Give the path of a file or folder on another disk.")
        }
        guard keep.map({ $0 >= 1 }) ?? true else { throw ValidationError("--keep must be a number of at least 1.") }
    }

    private var confirms: Bool { confirmRecoveryKey || recoveryKeyDescriptor != nil }

    func run() async throws {
        let authorization = try options.authorization()
        let typed = try recoveryKeyDescriptor.map { try AgentOptions.readLine($0, "--recovery-key-fd \($0)") }
        try await options.withAgent { agent in
            var state: BackupRecordState?
            if confirms {
                let confirmed = try await confirm(typed, authorization, agent)
                if options.json, place == nil { return try Output.json(confirmed) }
                state = confirmed.state
            }
            guard let place else { return Output.lines(BackupText.lines(state).map(CommandHints.here)) }
            let made = try await agent.call(
                BackUpVault(
                    authorization: authorization,
                    path: Paths.absolute(place),
                    keep: keep,
                    includesSecretKey: withSecretKey,
                    isElsewhere: elsewhere
                )
            )
            if options.json { return try Output.json(made) }
            Output.lines((Self.lines(made) + BackupText.lines(made.state)).map(CommandHints.here))
        }
    }

    private func confirm(
        _ typed: String?,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> ConfirmBackupKey.Result {
        while true {
            let key = try typed ?? String(decoding: Question.secret("Recovery key or Secret Key: "), as: UTF8.self)
            do {
                let confirmed = try await agent.call(ConfirmBackupKey(authorization: authorization, key: key))
                if !options.json {
                    let name = confirmed.kind == "secretKey" ? "Secret Key" : "recovery key"
                    Terminal.note(Paint(isOn: Paint.isWantedOnError).green("✓ This is the \(name) of your vault."))
                }
                return confirmed
            } catch let error as AgentError where typed == nil && error.code.rawValue.hasPrefix("wrong") {
                // After a wrong key the person can try again. A wrong passphrase ends the command.
                guard error.code != .wrongPassphrase else { throw error }
                Terminal.note("  \(error.message)")
            }
        }
    }

    private static func lines(_ made: BackUpVault.Result) -> [String] {
        let path = Paths.short(Table.clean(made.path))
        var lines = ["Backed up to \(path)"]
        if !made.areContentsChecked {
            lines.append(
                "\(made.entries) entries are signed and in their places. The vault is locked: no item was read."
            )
        } else if made.unreadable.isEmpty {
            lines.append("\(made.entries) entries are signed and in their places, and every item opens.")
        } else {
            lines.append("\(made.unreadable.count) items are damaged, in the vault as in the backup: ward log verify")
        }
        if !made.removed.isEmpty { lines.append("Removed \(made.removed.count) older backup(s).") }
        return lines
    }
}
