import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Shows the state of vault and agent.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether there is a vault, and whether it is open."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            let status = try await agent.call(Status())
            if options.json { return try Output.json(status) }
            Output.lines(Self.lines(status, vault, Paint(isOn: Paint.isWanted)).map(CommandHints.here))
        }
    }

    private static func duration(_ seconds: Int) -> String {
        seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static let none = "There is no vault yet. Create one: ward init. Or get it from another device: ward join"

    private static func lines(_ status: Status.Result, _ vault: VaultChoice, _ paint: Paint) -> [String] {
        guard status.exists else {
            if let name = status.joinsAs {
                return [
                    "There is no vault yet. This device has asked to join as \(DeviceText.quoted(name)).",
                    "Go on: ward join PLACE. Take it back: ward join PLACE --abandon",
                ]
            }
            let others = VaultLocation.all().map(\.name.description)
            guard let first = others.first else { return [none] }
            return [
                "There is no default vault. Create one: ward init",
                "You have: \(others.joined(separator: ", ")). Name the one you mean: ward status --vault \(first)",
            ]
        }
        let name = vault.name.isStandard ? "" : "\(vault.name), "
        let state = status.isLocked ? paint.yellow("locked") : paint.green("open")
        var lines = ["Vault     \(name)\(Paths.short(status.vault)), \(state)"]
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
        if status.passkeysAreOff == true { lines.append("Passkeys  off. Switch them on: ward passkeys on") }
        if let desktop = status.desktop, desktop.isOn {
            lines.append("Desktop   the portal is " + DesktopPortalCommand.text(desktop))
        }
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
        if let sync = status.sync { lines += SyncText.summary(sync, paint) }
        if let locksIn = status.locksIn, !status.isLocked {
            var line = "Locks     in \(Self.duration(locksIn)) if idle"
            if let latest = status.locksLatestIn { line += ", in \(Self.duration(latest)) at the latest" }
            lines.append(line)
        }
        lines += VerificationText.summary(status)
        lines.append("Agent     process \(status.pid), version \(status.version)")
        let startsWithWard =
            vault.name.isStandard
            ? "only with ward. For apps too: systemctl --user enable --now ward-agent.socket"
            : "only with ward. Apps use the default vault"
        lines.append("Starts    " + (status.startsAtLogin == true ? "when needed, from login on" : startsWithWard))
        lines.append(
            "Prompts   "
                + (status.pinentry.map { "with \($0)" }
                    ?? paint.yellow("not possible: \(status.pinentryProblem ?? "no pinentry is installed")"))
        )
        return lines
    }
}
