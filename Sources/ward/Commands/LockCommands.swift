import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Opens the vault.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Open the vault until it is locked again.",
        discussion: """
            It locks by itself when it is not used for a while, some hours after it was opened, when the screen is locked, \
            when the machine sleeps, and with ward lock.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Forgot the passphrase: type the recovery key, and choose a new passphrase.")
    var recoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp(
            "Read the recovery key from this file descriptor; --passphrase-fd then brings the new passphrase.",
            valueName: "n"
        )
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(
        help:
            "Accept the vault's file although it is older than what this device saw: after you put a backup in its place."
    )
    var trustThisFile = false
    @Flag(
        help:
            "With the recovery key: accept a vault that cannot prove that it is yours, without asking. Early versions made such vaults."
    )
    var trustUnproven = false

    func run() async throws {
        if recoveryKey || recoveryKeyDescriptor != nil { return try await recover() }
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(Unlock(authorization: authorization, trustsFile: trustThisFile))
            try report("unlocked", "The vault is open.")
        }
    }

    private func recover() async throws {
        try await options.withAgent { agent in
            let (key, checked) = try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor)
            if checked.isProven == false, !trustUnproven {
                try RecoveryKeyText.confirmUnproven(checked, mayAsk: !options.noPrompt)
            }
            let passphrase = try options.passphrase() ?? NewPassphrase.ask(for: VaultLocation.standard.database)
            _ = try await agent.call(
                Recover(
                    recoveryKey: key,
                    passphrase: passphrase,
                    trustsFile: trustThisFile,
                    trustsUnproven: checked.isProven == false
                )
            )
            try report("unlocked", "The vault is open and has the new passphrase.")
        }
    }

    private func report(_ state: String, _ sentence: String) throws {
        if options.json { try Output.json(["state": state]) } else { Output.lines([sentence]) }
    }
}

/// Closes the vault.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the vault now.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let paths = AgentOptions.paths
        // Without an agent nothing is open; to connect could start one.
        if paths.hasAgent {
            do {
                try await AgentOptions.withAgent(starts: false) { _ = try await $0.call(Lock()) }
            } catch let failure as Failure
                where [.unreachable, .inUse].map(\AgentError.Code.rawValue).contains(failure.code)
            {
                // It lost its socket, and locks when it ends; or it is the agent of another vault, and stays.
                try await AgentCommand.end(paths)
            }
        }
        if options.json { try Output.json(["state": "locked"]) } else { Output.lines(["The vault is locked."]) }
    }
}

/// Says how things stand.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether there is a vault, and whether it is open."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        try await options.withAgent { agent in
            let status = try await agent.call(Status())
            if options.json { return try Output.json(status) }
            Output.lines(Self.lines(status, Paint(isOn: Paint.isWanted)))
        }
    }

    private static func duration(_ seconds: Int) -> String {
        seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static func lines(_ status: Status.Result, _ paint: Paint) -> [String] {
        guard status.exists else { return ["There is no vault yet. Make one: ward init"] }
        let state = status.isLocked ? paint.yellow("locked") : paint.green("open")
        var lines = ["Vault     \(Paths.short(status.vault)), \(state)"]
        if let problem = status.problem { lines.append("Problem   " + paint.red(problem)) }
        if status.isProven == false {
            lines.append(
                "Recovery  " + paint.yellow("not protected against a forged vault: ward recovery-key --check")
            )
        }
        if let items = status.items {
            lines.append(
                "Items     \(items), with \(status.passkeys ?? 0) passkeys; \(status.trashed ?? 0) in the trash"
            )
        }
        if status.passkeysAreOff == true { lines.append("Passkeys  off: ward passkeys on switches them on") }
        if let unreadable = status.unreadable, !unreadable.isEmpty {
            lines.append("Damaged   " + paint.red("\(unreadable.count) items. See which: ward list"))
        }
        if let entries = status.entries {
            lines.append("Log       \(entries) entries by \(status.devices ?? 1) device(s)")
        }
        if let backup = status.backup {
            lines.append("Backup    " + BackupText.summary(backup))
            if backup.passkeys > 0 { lines += BackupText.lines(backup).map { "          " + $0 } }
        }
        if let locksIn = status.locksIn, !status.isLocked {
            var line = "Locks     in \(Self.duration(locksIn)) if idle"
            if let latest = status.locksLatestIn { line += ", in \(Self.duration(latest)) at the latest" }
            lines.append(line)
        }
        lines.append("Agent     process \(status.pid), version \(status.version)")
        lines.append(
            "Starts    "
                + (status.startsAtLogin == true
                    ? "when it is needed, from login on"
                    : "with ward alone; for apps too: systemctl --user enable --now ward-agent.socket")
        )
        lines.append(
            "Prompts   "
                + (status.pinentry.map { "with \($0)" }
                    ?? paint.yellow("not possible: \(status.pinentryProblem ?? "no pinentry is installed")"))
        )
        return lines
    }
}

/// Another passphrase.
struct PassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Change the passphrase.",
        discussion: "--passphrase-fd reads the current passphrase, --new-passphrase-fd the new one."
    )

    @OptionGroup var options: AgentOptions
    @Option(
        name: .customLong("new-passphrase-fd"),
        help: ArgumentHelp("Read the new passphrase from this file descriptor.", valueName: "n")
    )
    var newDescriptor: Int32?

    func run() async throws {
        let old =
            try options.passphrase() ?? String(decoding: try Question.secret("Current passphrase: "), as: UTF8.self)
        try await options.withAgent { agent in
            let new: String
            if let newDescriptor {
                new = try AgentOptions.readLine(newDescriptor, "--new-passphrase-fd \(newDescriptor)")
            } else {
                // Nobody thinks of a new passphrase for nothing.
                _ = try await agent.call(CheckPassphrase(passphrase: old))
                new = try NewPassphrase.ask(for: VaultLocation.standard.database)
            }
            _ = try await agent.call(ChangePassphrase(old: old, new: new))
            if options.json {
                try Output.json(["state": "changed"])
            } else {
                Output.lines(["The passphrase is changed."])
            }
        }
    }
}

/// Another key on paper.
struct RecoveryKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-key",
        abstract: "Make a new recovery key; the old one stops working. With --check: check the one you have."
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Make nothing: type the recovery key to see whether the paper is right.")
    var check = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("With --check: read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?

    func validate() throws {
        if recoveryKeyDescriptor != nil, !check { throw ValidationError("--recovery-key-fd goes with --check") }
    }

    func run() async throws {
        let authorization = try options.authorization()
        if check { return try await checkPaper(authorization) }
        try await options.withAgent { agent in
            let made = try await agent.call(ReplaceRecoveryKey(authorization: authorization))
            if options.json { return try Output.json(["recoveryKey": made.recoveryKey]) }
            RecoveryKeyText.show(made.recoveryKey)
            if authorization.passphrase == nil, Terminal.isInteractive { try await RecoveryKeyText.typeBack(agent) }
        }
    }
    /// Opens the vault first, so that one from an early version learns to prove itself to the key.
    private func checkPaper(_ authorization: Authorization) async throws {
        try await options.withAgent { agent in
            _ = try await agent.call(Unlock(authorization: authorization))
            let (_, checked) = try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor)
            if options.json { return try Output.json(checked) }
            Output.lines([Paint(isOn: Paint.isWanted).green("✓ ") + "The recovery key opens this vault."])
        }
    }
}
