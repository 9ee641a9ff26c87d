import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Saves the readable items of a damaged vault.
struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Save the readable items of a damaged vault into a new vault.",
        discussion: """
            Try your last backup first, because a backup is complete. The damaged file is never changed. The new vault has \
            the latest readable revision of each item, without history. It has a new Secret Key and a new recovery key. Its \
            passphrase is the passphrase of the damaged vault; with the recovery key you choose a new one.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions
    @Option(
        help: ArgumentHelp(
            "Folder to create for the new vault. Default: a folder with a dated name, beside the vault's folder.",
            valueName: "folder"
        )
    )
    var to: String?
    @Flag(help: "Show which items can be saved, and write nothing.")
    var dryRun = false
    @Flag(help: "Use the recovery key instead of the passphrase.")
    var recoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp(
            "Read the recovery key from this file descriptor; --passphrase-fd then reads the new vault's passphrase.",
            valueName: "n"
        )
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(help: "With the recovery key: accept a vault even if ward cannot check that it is yours.")
    var trustUnproven = false

    func run() async throws {
        let vault = try options.vault().existing()
        let folder = dryRun ? nil : target(vault)
        let usesKey = recoveryKey || recoveryKeyDescriptor != nil
        let given = try options.passphrase()
        let isTalkative = isatty(STDERR_FILENO) == 1 && !options.json
        try await vault.withAgent { agent in
            var method = SalvageVault(
                authorization: Authorization(passphrase: usesKey ? nil : given, mayPrompt: !options.noPrompt),
                trustsUnproven: trustUnproven,
                folder: folder
            )
            if usesKey {
                method.recoveryKey = try RecoveryKeyText.read(descriptor: recoveryKeyDescriptor)
                if folder != nil {
                    method.passphrase = try strength.checked(given) ?? NewPassphrase.ask(for: folder ?? "", strength)
                }
            }
            if isTalkative { Terminal.note(dryRun ? "Reading… " : "Reading, writing and checking… ", end: "") }
            let found = try await agent.call(method)
            if isTalkative { Terminal.note("done.") }
            if options.json { return try Output.json(found) }
            Output.lines(Self.lines(found, Paint(isOn: Paint.isWanted)))
            if let key = found.newRecoveryKey {
                try await RecoveryKeyText.handOver(key, of: vault.name, nil, mayAsk: !options.noPrompt)
            }
            if let made = found.vault { Output.lines(Self.next(made, vault)) }
        }
    }

    private func target(_ vault: VaultChoice) -> String {
        let current = FileManager.default.currentDirectoryPath
        if let to { return to.hasPrefix("/") ? to : current + "/" + to }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let name = vault.name.isStandard ? "" : "-\(vault.name)"
        return "\(VaultLocation.standard.directory)\(name)-salvaged-\(formatter.string(from: Date()))"
    }

    private static func lines(_ found: SalvageVault.Result, _ paint: Paint) -> [String] {
        var lines = [paint.green("✓ ") + "\(counted(found.complete)) complete"]
        if !found.outdated.isEmpty {
            lines.append(paint.yellow("! ") + "\(counted(found.outdated.count)) in an older revision:")
            lines += found.outdated.map { name($0) }
        }
        if let items = found.withoutAttachments {
            lines.append(paint.yellow("! ") + "\(counted(items.count)) without a file that was attached:")
            lines += items.map { name($0) }
        }
        if let items = found.withoutConflicts {
            lines.append(
                paint.yellow("! ")
                    + "\(counted(items.count)) without values of other devices, which are too large together:"
            )
            lines += items.map { name($0) }
        }
        if !found.lost.isEmpty {
            lines.append(paint.red("✗ ") + "\(counted(found.lost.count)) lost:")
            lines += found.lost.map { name($0) }
        }
        if found.damagedEntries > 0 {
            lines.append(
                paint.red("✗ ")
                    + "\(found.damagedEntries) entries of the log cannot be read: newer revisions may be missing"
            )
        }
        return lines
    }

    private static func counted(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    private static func name(_ item: SalvageVault.Result.ItemState) -> String {
        "    \(item.title ?? "title unknown")  [\(item.id.prefix(8))]"
    }

    private static func next(_ made: String, _ vault: VaultChoice) -> [String] {
        [
            "", "The new vault is \(Paths.short(made)).",
            "To use it, put it in the place of the damaged one, which is kept beside it:", "",
            "    " + CommandHints.here("ward restore --from \(Paths.short(made)) --replace"),
        ]
    }
}
