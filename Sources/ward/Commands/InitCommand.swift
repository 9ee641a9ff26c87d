import ArgumentParser
import Foundation
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
                    .init(rawValue: "vault_exists"),
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
                "The vault is open: \(Paths.short(made.vault))",
                "Back it up to another disk, now and then: ward backup PLACE",
                "A backup opens with the recovery key, or with your passphrase and the Secret Key,",
                "which is not in it: \(Paths.short(made.secretKey))",
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

    /// Reads a recovery key that the vault knows, from a descriptor or from the terminal, where it is not echoed.
    ///
    /// - Throws: ``Failure`` with a wrong key in the descriptor; on the terminal the question comes again.
    static func ask(_ agent: AgentClient, descriptor: Int32?) async throws -> (
        key: String, checked: CheckRecoveryKey.Result
    ) {
        while true {
            let key: String
            if let descriptor {
                key = try AgentOptions.readLine(descriptor, "--recovery-key-fd \(descriptor)")
            } else {
                key = String(decoding: try Question.secret("Recovery key (not shown): "), as: UTF8.self)
            }
            var problem = "This recovery key belongs to another vault, or was replaced. Compare it with the paper"
            do {
                let checked = try await agent.call(CheckRecoveryKey(recoveryKey: key))
                if checked.isRight { return (key, checked) }
                if descriptor != nil { throw AgentError(.init(rawValue: "wrong_recovery_key"), problem) }
            } catch let error as AgentError where error.code == .invalidValue && descriptor == nil {
                problem = error.message
            }
            Terminal.note("  \(problem)")
        }
    }

    /// Lets a person say whether a vault that proves nothing is theirs.
    ///
    /// - Throws: ``Failure`` when it is not, or when nobody can be asked.
    static func confirmUnproven(_ checked: CheckRecoveryKey.Result, mayAsk: Bool) throws {
        let items = checked.items.map { $0 == 1 ? "1 item" : "\($0) items" } ?? "an unknown number of items"
        let day = checked.changedAt.map { When.minute($0) } ?? "an unknown day"
        let doubt = [
            "Nothing proves that this vault is yours.", "An early version made it, or somebody else.",
            "It has \(items) and was last changed on \(day).",
        ]
        guard mayAsk, Terminal.isInteractive else {
            throw Failure(
                AgentError(
                    .init(rawValue: "unproven_vault"),
                    (doubt + ["If it is yours, accept it: add --trust-unproven"]).joined(separator: " ")
                )
            )
        }
        Terminal.note(doubt.joined(separator: "\n"))
        guard try Question.confirm("Is that your vault?") else {
            throw Failure(.denied, "The vault was not opened, because you did not recognise it")
        }
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
                Terminal.note("  This key belongs to another vault. Compare it with the paper")
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

    /// A path that means the same to the agent, which has another working folder.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
