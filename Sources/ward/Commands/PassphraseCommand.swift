import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Changes the passphrase.
struct PassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Change the passphrase.",
        discussion: """
            The command asks for the current passphrase and then for the new one. --passphrase-fd reads the current \
            passphrase, --new-passphrase-fd the new one.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions
    @Option(
        name: .customLong("new-passphrase-fd"),
        help: ArgumentHelp("Read the new passphrase from this file descriptor.", valueName: "n")
    )
    var newDescriptor: Int32?

    func run() async throws {
        let old =
            try options.passphrase() ?? String(decoding: try Question.secret("Current passphrase: "), as: UTF8.self)
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            let new: String
            if let newDescriptor {
                new = try AgentOptions.readLine(newDescriptor, "--new-passphrase-fd \(newDescriptor)")
                _ = try strength.checked(new)
            } else {
                // The current passphrase is checked before the person chooses a new one.
                _ = try await agent.call(CheckPassphrase(passphrase: old))
                new = try NewPassphrase.ask(for: vault.location.database, strength)
            }
            _ = try await agent.call(ChangePassphrase(old: old, new: new))
            if options.json {
                try Output.json(["state": "changed"])
            } else {
                Output.lines([
                    vault.name.isStandard
                        ? "The passphrase was changed." : "The passphrase of the vault \(vault.name) was changed."
                ])
            }
        }
    }
}
