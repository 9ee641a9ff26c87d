import ArgumentParser
import Foundation
import WardAgent
import WardAgentClient
import WardVault

/// Makes the vault.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a vault on this machine.",
        discussion: """
            Asks for a passphrase, makes the vault, and shows the recovery key: the only way in when the passphrase is \
            forgotten. It is shown this once; type it back to be sure that it was written down well.
            """
    )

    @OptionGroup var options: AgentOptions

    private struct Made: Encodable {
        let vault: String
        let recoveryKey: String
        let secretKey: String
    }

    func run() async throws {
        let location = VaultLocation.standard
        guard !location.hasVault else {
            throw Failure(
                AgentError(
                    .init(rawValue: "vaultExists"),
                    "there is a vault at \(location.database): ward unlock opens it"
                )
            )
        }
        let given = try options.passphrase()
        if given == nil, options.noPrompt { throw Failure(.usage, "a passphrase is needed: --passphrase-fd") }
        let passphrase = try given ?? NewPassphrase.ask(for: location.database)
        let isInteractive = given == nil && !options.json
        try await options.withAgent { agent in
            if isInteractive { Terminal.note("Making the vault… ", end: "") }
            let made = try await agent.call(CreateVault(passphrase: passphrase))
            if isInteractive { Terminal.note("done.\n") }
            guard !options.json else {
                return try Output.json(
                    Made(vault: made.vault, recoveryKey: made.recoveryKey, secretKey: made.secretKey)
                )
            }
            RecoveryKeyText.show(made.recoveryKey)
            if isInteractive { try await RecoveryKeyText.typeBack(agent) }
            Output.lines([
                "The vault is open. A backup needs two files, and your passphrase to be of use:",
                "",
                "    \(Paths.short(made.vault))",
                "    \(Paths.short(made.secretKey))",
                "",
                "Next: ward add Example --site https://example.com --username you --generate",
            ])
        }
    }
}

/// Asks for a passphrase that does not exist yet.
enum NewPassphrase {
    static func ask(for vault: String) throws -> String {
        Terminal.note("Your vault will be \(Paths.short(vault)).\n")
        Terminal.note("Choose a passphrase: five random words are good. Nobody can reset it.")
        let paint = Paint(isOn: Paint.isWantedOnError)
        while true {
            guard let typed = String(validating: try Question.secret("Passphrase: "), as: UTF8.self), !typed.isEmpty
            else {
                Terminal.note("  Type at least one character.")
                continue
            }
            let strength = PassphraseStrength(typed)
            Terminal.note("  " + strength.line(paint))
            if strength.isWeak, try !Question.confirm("  Take it all the same?") { continue }
            guard String(decoding: try Question.secret("Again:      "), as: UTF8.self) == typed else {
                Terminal.note("  The two are not the same. Once more:")
                continue
            }
            return typed
        }
    }
}

/// The key on paper, shown and typed back.
enum RecoveryKeyText {
    static func show(_ key: String) {
        let paint = Paint(isOn: Paint.isWanted)
        Output.lines([
            "Your recovery key opens the vault when the passphrase is forgotten.",
            "It is shown this once:",
            "",
            "    " + paint.bold(key),
            "",
            "Write it on paper, and keep it away from this machine.",
        ])
    }

    static func typeBack(_ agent: AgentClient) async throws {
        while true {
            let typed = try Question.text("Type it back to be sure, or press Enter to go on:\n> ")
            if typed.trimmingCharacters(in: .whitespaces).isEmpty {
                Terminal.note("Not tested. ward recovery-key makes a new one at any time.\n")
                return
            }
            do {
                if try await agent.call(CheckRecoveryKey(recoveryKey: typed)).isRight {
                    Terminal.note(Paint(isOn: Paint.isWantedOnError).green("✓ That is it.") + "\n")
                    return
                }
                Terminal.note("  That is another vault's key: compare it with the paper")
            } catch let error as AgentError where error.code == .invalidValue {
                Terminal.note("  \(error.message)")
            }
        }
    }
}

enum Paths {
    /// A path with the home folder as `~`.
    static func short(_ path: String) -> String {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
        return path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }
}
