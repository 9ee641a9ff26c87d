import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Shows the recovery key and asks for it.
enum RecoveryKeyText {
    /// Shows the key once.
    ///
    /// On a terminal it uses the alternate screen, so that the key does not stay visible. Otherwise it writes to standard
    /// output.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - vault: The vault that it opens.
    ///   - agent: The agent whose vault checks the key that is typed back; `nil` for a key of another vault.
    ///   - mayAsk: Whether a person may be asked. Without a question the key stays on the normal screen.
    /// - Throws: The agent's errors, and ``Failure`` when the person cancels.
    static func handOver(_ key: String, of vault: VaultName, _ agent: AgentClient?, mayAsk: Bool) async throws {
        let paint = Paint(isOn: Paint.isWanted)
        let name = vault.isStandard ? "the vault" : "the vault \(vault)"
        let lines = [
            "Your recovery key opens \(name) if you forget the passphrase.", "It is shown this once:", "",
            "    " + paint.bold(key), "", "Write it on paper, and keep it away from this machine.",
        ]
        guard mayAsk, isatty(STDOUT_FILENO) == 1, Terminal.isInteractive else { return Output.lines(lines) }
        guard let agent else {
            try AlternateScreen.show(lines + [""]) {
                _ = try Question.text("Press Enter when you have written it down. ")
            }
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

    /// What a person does if a new recovery key may be in force that nobody has seen.
    static let old = "If your old recovery key is not accepted any more, make a new one: ward recovery-key"

    /// Sends a request that makes a new recovery key.
    ///
    /// - Parameters:
    ///   - hint: What the person is told if no answer comes: the new key may be in force, and nobody has seen it.
    ///   - request: The request.
    /// - Returns: What the request returns.
    /// - Throws: What the request throws.
    static func making<T>(else hint: String, _ request: () async throws -> T) async throws -> T {
        do {
            return try await request()
        } catch {
            // After Ctrl-C no error is shown.
            if Task.isCancelled { Terminal.note(hint) }
            guard let unanswered = error as? AgentError, [.unreachable, .versionMismatch].contains(unanswered.code)
            else { throw error }
            let sentence = unanswered.message.hasSuffix(".") ? unanswered.message : unanswered.message + "."
            throw AgentError(unanswered.code, "\(sentence) \(hint)")
        }
    }

    /// Reads a recovery key for a locked vault, from a file descriptor or from the terminal without echo.
    ///
    /// - Throws: `AgentError` with `invalidValue` if the descriptor has no recovery key; on the terminal the question comes again.
    static func read(descriptor: Int32?) throws -> String {
        while true {
            let key = try line(descriptor)
            do {
                _ = try RecoveryKey(text: key)
                return key
            } catch {
                guard descriptor == nil else { throw AgentError(.invalidValue, error.description) }
                Terminal.note("  \(error.description)")
            }
        }
    }

    private static func line(_ descriptor: Int32?) throws -> String {
        if let descriptor { return try AgentOptions.readLine(descriptor, "--recovery-key-fd \(descriptor)") }
        return String(decoding: try Question.secret("Recovery key (not shown): "), as: UTF8.self)
    }

    /// Reads a recovery key that the open vault can check, from a file descriptor or from the terminal without echo.
    ///
    /// - Throws: ``Failure`` with a wrong key in the descriptor; on the terminal the question comes again.
    static func ask(_ agent: AgentClient, descriptor: Int32?) async throws -> (
        key: String, checked: CheckRecoveryKey.Result
    ) {
        while true {
            let key = try line(descriptor)
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

    /// Asks the person whether a vault without a proof is theirs.
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
            throw Failure(.denied, "The vault was not opened, because you did not confirm that it is yours")
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
