import ArgumentParser
import Foundation
import WardAgentClient

/// The command line.
@main
struct WardCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ward",
        abstract: "Passkeys, passwords and verification codes on this machine.",
        discussion: """
            ward init creates an encrypted vault. Every other command opens the vault when it needs to, and asks you through \
            pinentry. The vault stays open until you lock it, or until you do not use it for a while.

            Files, variables, examples and exit statuses: man ward
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Items",
                subcommands: [
                    ListCommand.self, ShowCommand.self, CodeCommand.self, ScanCommand.self, OpenCommand.self,
                    AddCommand.self,
                    EditCommand.self, AttachCommand.self, AttachmentCommand.self, CloneCommand.self,
                    MergeCommand.self, SplitCommand.self, GenerateCommand.self, TagsCommand.self, AuditCommand.self,
                    UpdateDataCommand.self, IconsCommand.self,
                ]
            ),
            CommandGroup(
                name: "Undo",
                subcommands: [RemoveCommand.self, RestoreCommand.self, HistoryCommand.self, TrashCommand.self]
            ),
            CommandGroup(name: "Moving in and out", subcommands: [ImportCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Vault",
                subcommands: [
                    InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self, PassphraseCommand.self,
                    RecoveryKeyCommand.self, BackupCommand.self, SalvageCommand.self, LogCommand.self,
                    VaultCommand.self,
                ]
            ),
            CommandGroup(name: "Devices", subcommands: [SyncCommand.self, DevicesCommand.self, JoinCommand.self]),
            CommandGroup(
                name: "Verification",
                subcommands: [PINCommand.self, FingerprintCommand.self, QuickUnlockCommand.self]
            ),
            CommandGroup(
                name: "Apps and programs",
                subcommands: [
                    RunCommand.self, AppsCommand.self, BrowserCommand.self, DesktopCommand.self, ProvidersCommand.self,
                    PasskeysCommand.self, PasskeyCommand.self, InspectCommand.self, AgentCommand.self,
                    GitCredentialCommand.self,
                ]
            ),
        ]
    )

    static func main() async {
        Foreground.rememberUmask()
        Hardening.apply()
        let words = Array(CommandLine.arguments.dropFirst())
        if words == [ClipboardHolding.argument] { ClipboardHolder.run() }
        if words.count == 2, words[0] == WindowProcess.argument { WindowProcess.run(words[1]) }
        do {
            let words = GitCredentialCommand.words(CommandLine.arguments) ?? words
            try CommandNames.check(words, of: Self.self)
            var command = try await asyncParseAsRoot(words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let usage as Usage {
            end(Failure(.usage, usage.description))
        } catch let failure as Failure {
            end(failure)
        } catch let error as AgentError {
            end(Failure(error))
        } catch {
            // Help and version are not errors. For an exit code no message is printed.
            if exitCode(for: error) == .success || error is ExitCode { exit(withError: error) }
            end(Failure(.usage, message(for: error)), shown: fullMessage(for: error))
        }
    }

    /// Ends the process with the exit status of a failure.
    ///
    /// - Parameters:
    ///   - failure: The failure; with `--json` it is printed as JSON too.
    ///   - shown: What standard error shows, if it is more than the sentence.
    private static func end(_ failure: Failure, shown: String? = nil) -> Never {
        let description = CommandHints.here(failure.description)
        if CommandLine.arguments.prefix(while: { $0 != "--" }).contains("--json") {
            try? Output.json(["error": ["code": failure.code, "message": description]])
        }
        let text = shown.map(Screen.lines) ?? Screen.line(description)
        Terminal.note(text.hasPrefix("Error:") ? text : "Error: \(text)")
        Foundation.exit(failure.status.rawValue)
    }
}
