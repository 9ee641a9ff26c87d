import ArgumentParser
import Foundation
import WardAgent
import WardAgentClient

/// The command line.
@main
struct WardCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ward",
        abstract: "Passkeys, passwords and verification codes on this machine.",
        discussion: """
            ward init makes an encrypted vault. Every other command opens it when it needs to, asks you through pinentry, and \
            leaves it open until you lock it or do nothing for a while.

            Exit status: 0 done, 1 refused or failed, 2 usage, 3 locked, 4 not found, 5 you said no or could not be asked, \
            6 wrong passphrase or key, 7 damaged, rolled back or unknown file, 8 conflict, 9 out of reach or disk full, \
            10 several items fit.
            """,
        version: version,
        subcommands: [
            InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self, ListCommand.self,
            ShowCommand.self,
            CodeCommand.self, AddCommand.self, EditCommand.self, RemoveCommand.self, RestoreCommand.self,
            TrashCommand.self, SalvageCommand.self, HistoryCommand.self, PasskeyCommand.self, PasskeysCommand.self,
            PassphraseCommand.self, RecoveryKeyCommand.self, LogCommand.self, BackupCommand.self,
            AppsCommand.self, ProvidersCommand.self, AgentCommand.self, InspectCommand.self,
        ]
    )

    static func main() async {
        Hardening.apply()
        if Array(CommandLine.arguments.dropFirst()) == [ClipboardHolder.argument] { ClipboardHolder.run() }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let usage as Usage {
            fail(Screen.line(usage.description), 2)
        } catch let failure as Failure {
            end(failure)
        } catch let error as AgentError {
            end(Failure(error))
        } catch {
            let code = exitCode(for: error)
            // Help and versions that were asked for, and codes that say all there is to say.
            if code == .success || error is ExitCode { exit(withError: error) }
            fail(Screen.lines(fullMessage(for: error)), 2)
        }
    }

    private static func end(_ failure: Failure) -> Never {
        if CommandLine.arguments.contains("--json") {
            try? Output.json(["error": ["code": failure.code, "message": failure.description]])
        }
        fail(Screen.line(failure.description), failure.status.rawValue)
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        Terminal.note(message.hasPrefix("Error:") ? message : "Error: \(message)")
        Foundation.exit(status)
    }
}
