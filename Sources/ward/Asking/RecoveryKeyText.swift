import ArgumentParser
import Foundation
import WardAgentClient

/// Shows the recovery key and asks for it.
enum RecoveryKeyText {
    /// Shows the key once; on a terminal on the alternate screen, which leaves nothing behind, until it was typed back.
    static func handOver(_ key: String, _ agent: AgentClient, isInteractive: Bool) async throws {
        let paint = Paint(isOn: Paint.isWanted)
        let lines = [
            "Your recovery key opens the vault if you forget the passphrase.", "It is shown this once:", "",
            "    " + paint.bold(key), "", "Write it on paper, and keep it away from this machine.",
        ]
        guard isInteractive, isatty(STDOUT_FILENO) == 1 else {
            Output.lines(lines)
            return
        }
        let isTested = try await AlternateScreen.show(lines + [""]) { try await typeBack(agent) }
        let mark = Paint(isOn: Paint.isWantedOnError)
        Terminal.note(
            isTested
                ? mark.green("✓ ") + "You typed the recovery key back."
                : "The recovery key was not tested. Make a new one at any time: ward recovery-key"
        )
        Terminal.note("")
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

    /// - Returns: Whether the key was typed back.
    private static func typeBack(_ agent: AgentClient) async throws -> Bool {
        while true {
            let typed = try Question.text("Type it back to be sure, or press Enter to go on:\n> ")
            if typed.trimmingCharacters(in: .whitespaces).isEmpty { return false }
            do {
                if try await agent.call(CheckRecoveryKey(recoveryKey: typed)).isRight { return true }
                Terminal.note("  This key belongs to another vault. Compare it with the paper")
            } catch let error as AgentError where error.code == .invalidValue {
                Terminal.note("  \(error.message)")
            }
        }
    }
}
