import ArgumentParser
import Foundation
import WardAgentClient

/// Locks the vault.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the vault now.")

    @OptionGroup var options: AgentOptions
    @Flag(help: "Lock all of your vaults.")
    var all = false

    func validate() throws {
        guard !all || options.vaultName == nil else { throw ValidationError("Use only one of --all and --vault.") }
    }

    func run() async throws {
        let vaults = try all ? VaultChoice.all : [options.vault().existing()]
        for vault in vaults { try await Self.lock(vault) }
        if options.json { return try Output.json(["state": "locked"]) }
        Output.lines([all ? "All vaults are locked." : "\(vaults.first?.subject ?? "The vault") is locked."])
    }

    private static func lock(_ vault: VaultChoice) async throws {
        // A connection could start an agent. If there is no agent, the vault is locked anyway.
        guard vault.paths.hasAgent else { return }
        do {
            try await vault.withAgent(starts: false) { _ = try await $0.call(Lock()) }
        } catch let failure as Failure
            where [.unreachable, .inUse].map(\AgentError.Code.rawValue).contains(failure.code)
        {
            // The agent has lost its socket and locks when it ends, or it serves another vault and continues.
            try await AgentCommand.end(vault)
        }
    }
}
