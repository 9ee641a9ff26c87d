import ArgumentParser
import Foundation
import WardAgentClient

/// Replaces or checks the recovery key.
struct RecoveryKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-key",
        abstract: "Replace the recovery key, or check the one you have."
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Check the recovery key that you type. Nothing changes.")
    var check = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("With --check: read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?

    func validate() throws {
        if recoveryKeyDescriptor != nil, !check {
            throw ValidationError("Use --recovery-key-fd together with --check.")
        }
    }

    func run() async throws {
        let authorization = try options.authorization()
        if check { return try await checkPaper(authorization) }
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            let made = try await RecoveryKeyText.making(else: RecoveryKeyText.old) {
                try await agent.call(ReplaceRecoveryKey(authorization: authorization))
            }
            if options.json { return try Output.json(["recoveryKey": made.recoveryKey]) }
            try await RecoveryKeyText.handOver(made.recoveryKey, of: vault.name, agent, mayAsk: !options.noPrompt)
        }
    }

    /// Opens the vault first.
    ///
    /// A vault from an early version then stores the proof for its recovery key.
    private func checkPaper(_ authorization: Authorization) async throws {
        try await options.withAgent { agent in
            _ = try await agent.call(Unlock(authorization: authorization))
            let (_, checked) = try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor)
            if options.json { return try Output.json(checked) }
            Output.lines([Paint(isOn: Paint.isWanted).green("✓ ") + "The recovery key opens this vault."])
        }
    }
}
