import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Creates the vault.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a vault on this machine.",
        discussion: """
            The command asks for a passphrase, or suggests six random words. Then it creates the vault, and shows the \
            recovery key once. If you forget the passphrase, only the recovery key opens the vault: write the recovery key \
            on paper.

            With --vault NAME the command creates a vault in addition to the default one. That vault has its own passphrase \
            and keys. Apps use only the default vault.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions

    private struct Made: Encodable {
        let vault: String
        let recoveryKey: String
        let secretKey: String
    }

    func run() async throws {
        let vault = try options.vault()
        let location = vault.location
        guard !location.hasVault else {
            throw Failure(
                AgentError(
                    .init(rawValue: "vault_exists"),
                    "There is a vault at \(location.database). Open it: ward unlock. Create another one: ward init --vault NAME"
                )
            )
        }
        let given = try options.passphrase()
        if given == nil, options.noPrompt { throw Failure(.usage, "A passphrase is needed: --passphrase-fd") }
        let passphrase = try strength.checked(given) ?? NewPassphrase.ask(for: location.database, strength)
        let isInteractive = given == nil && !options.json
        try await vault.withAgent(creates: true) { agent in
            if isInteractive { Terminal.note("Creating the vault… ", end: "") }
            let made = try await RecoveryKeyText.making(
                else: "If there is a vault now, nobody has its recovery key. Make a new one: ward recovery-key"
            ) {
                try await agent.call(CreateVault(passphrase: passphrase))
            }
            if isInteractive { Terminal.note("done.\n") }
            guard !options.json else {
                return try Output.json(
                    Made(vault: made.vault, recoveryKey: made.recoveryKey, secretKey: made.secretKey)
                )
            }
            try await RecoveryKeyText.handOver(made.recoveryKey, of: vault.name, agent, mayAsk: !options.noPrompt)
            Output.lines([
                "\(vault.subject) is open: \(Paths.short(made.vault))",
                CommandHints.here("Back it up to another disk from time to time: ward backup PLACE"),
                "A backup opens with the recovery key, or with your passphrase and the",
                "Secret Key, which is not in it: \(Paths.short(made.secretKey))",
                "",
                CommandHints.here("Next: ward add Example --site https://example.com --username you --generate"),
            ])
        }
    }
}
