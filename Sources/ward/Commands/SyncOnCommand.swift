import ArgumentParser
import Foundation
import WardAgentClient

/// Switches sync on.
struct SyncOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Sync the vault through a folder.",
        discussion: """
            The first time, the command asks for the passphrase and the recovery key: from then on the recovery key also \
            decides about devices. If you do not have the recovery key, you get a new one, and the old one no longer works.

            To use another folder, run the command again.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("A folder that exists.", valueName: "folder"), completion: .directory)
    var folder: String
    @Option(help: ArgumentHelp("Name of this device. Default: the host name.", valueName: "name"))
    var name: String?
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(help: "Make a new recovery key. The old one no longer works.")
    var newRecoveryKey = false

    func validate() throws {
        guard recoveryKeyDescriptor == nil || !newRecoveryKey else {
            throw ValidationError("Use only one of --recovery-key-fd and --new-recovery-key.")
        }
    }

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        let vault = try options.vault().existing()
        let path = Paths.absolute(folder)
        try await vault.withAgent { agent in
            let result = try await owner.use { passphrase in
                // It opens the vault, so that the agent knows whether the recovery key is needed.
                _ = try await agent.call(CheckPassphrase(passphrase: passphrase))
                let begins = try await agent.call(SyncStatus()).members == nil
                return try await agent.call(
                    SwitchSyncOn(
                        passphrase: passphrase,
                        folder: path,
                        deviceName: name,
                        recoveryKey: begins ? try await recoveryKey(agent) : nil
                    )
                )
            }
            if options.json { return try Output.json(result) }
            if let key = result.recoveryKey {
                try await RecoveryKeyText.handOver(key, of: vault.name, agent, mayAsk: !options.noPrompt)
            }
            var lines: [String] = []
            if result.state.isOn == true {
                lines.append("Sync is on: \(Paths.short(Table.clean(path)))")
                lines.append("\(SyncText.number(result.written, "entry was", "entries were")) written into the folder.")
                if result.taken > 0 {
                    lines.append("\(SyncText.number(result.taken, "entry", "entries")) came from it.")
                }
            }
            if result.state.members == 1 {
                lines.append(CommandHints.here("Next, on the other device: ward join FOLDER"))
                lines.append(CommandHints.here("Then here: ward devices add"))
            }
            if !lines.isEmpty { Output.lines(lines) }
            for notice in SyncText.notices(result.state) { Terminal.note("Warning: \(notice)") }
        }
    }

    /// The recovery key for the beginning of the circle; `nil` for a new one.
    private func recoveryKey(_ agent: AgentClient) async throws -> String? {
        if newRecoveryKey { return nil }
        if let recoveryKeyDescriptor {
            return try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor).key
        }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "The recovery key is needed once: add --recovery-key-fd, or --new-recovery-key")
        }
        Terminal.note(
            """
            From now on the recovery key also decides about your devices, so it is needed once.
            Type it, or press Enter to get a new one. Then the old one no longer works.
            """
        )
        while true {
            let typed = String(decoding: try Question.secret("Recovery key (not shown): "), as: UTF8.self)
            if typed.trimmingCharacters(in: .whitespaces).isEmpty { return nil }
            do {
                if try await agent.call(CheckRecoveryKey(recoveryKey: typed)).isRight { return typed }
                Terminal.note(
                    "  This recovery key belongs to another vault, or was replaced. Compare it with the paper"
                )
            } catch let error as AgentError where error.code == .invalidValue {
                Terminal.note("  \(error.message)")
            }
        }
    }
}
