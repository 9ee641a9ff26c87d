import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

struct VaultListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List your vaults, and show whether they are open."
    )

    @Flag(help: "Print JSON.")
    var json = false

    private struct Listed: Encodable {
        let name: String
        let vault: String
        let isLocked: Bool
    }

    func run() async throws {
        var vaults: [Listed] = []
        for vault in VaultChoice.all {
            vaults.append(
                Listed(
                    name: vault.name.description,
                    vault: vault.location.database,
                    isLocked: await Self.isLocked(vault)
                )
            )
        }
        if json { return try Output.json(vaults) }
        guard !vaults.isEmpty else { return Terminal.note("There is no vault yet. Create one: ward init") }
        var table = Table([
            .init(heading: "Name", shrinks: false), .init(heading: "State", shrinks: false), .init(heading: "File"),
        ])
        for vault in vaults { table.add([vault.name, vault.isLocked ? "locked" : "open", Paths.short(vault.vault)]) }
        Output.table(table)
    }

    /// Whether a vault is locked.
    ///
    /// Without an agent it is locked, so no agent is started.
    private static func isLocked(_ vault: VaultChoice) async -> Bool {
        guard vault.paths.hasAgent else { return true }
        return (try? await vault.withAgent(starts: false) { try await $0.call(Status()).isLocked }) ?? true
    }
}
