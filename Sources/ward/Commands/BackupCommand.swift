import ArgumentParser
import Foundation
import WardAgentClient

/// Copies the vault.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the vault to another disk, and check the copy.",
        discussion: """
            PLACE is a file, or a folder in which the backup gets a dated name. The vault may be open; the copy is whole, and \
            is read from its first entry to its last before it replaces an older one. With --no-prompt a locked vault is \
            copied as it is: signatures are checked, items are not opened.

            A backup opens with your passphrase and the Secret Key, or with the recovery key: keep one of the two outside \
            this machine. ward restore --from PLACE brings a backup back.

            Sites see passkeys as backed up when a backup on another disk was checked and you typed the recovery key or the \
            Secret Key from paper once: ward backup --confirm-recovery-key.
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
    @Flag(help: "Write the Secret Key beside the backup: the passphrase alone then protects it.")
    var withSecretKey = false
    @Flag(help: "The folder is on this disk, and another program copies it to another machine.")
    var elsewhere = false
    @Flag(help: "Type the recovery key or the Secret Key from paper, to show that it is not on this disk alone.")
    var confirmRecoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read that key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?

    func validate() throws {
        guard place != nil || confirms else { throw ValidationError("Name a file or a folder on another disk.") }
        guard keep.map({ $0 >= 1 }) ?? true else { throw ValidationError("--keep is a number from 1 on.") }
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
                // Only the keys: with a wrong passphrase nobody gets here.
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
