import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Restores an item or the whole vault.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore an item from the trash or its history, or the vault from a backup.",
        discussion: """
            ward restore ITEM takes an item out of the trash. With --revision, the item gets the values of that revision \
            again.

            ward restore --from PLACE replaces the vault with a backup. If PLACE is a folder, ward uses the newest backup in \
            it. ward first opens the backup with its passphrase and Secret Key. If the backup does not open, nothing \
            changes. The Secret Key comes from the folder of the backup or from this device, or you type it. With \
            --recovery-key you need neither passphrase nor Secret Key, and you choose a new passphrase.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions
    @Argument(
        help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix, inTrash: true) }
    )
    var item: [String] = []
    @Option(help: ArgumentHelp("Revision of the item: its number in ward history.", valueName: "revision"))
    var revision: String?
    @Option(name: .customLong("from"), help: ArgumentHelp("Backup, or folder of backups.", valueName: "place"))
    var source: String?
    @Flag(help: "Replace the existing vault. The old vault stays beside the new one under a dated name.")
    var replace = false
    @Flag(help: "Accept a backup that is older than the vault this device saw last. Later changes are lost.")
    var trustThisFile = false
    @Flag(
        help: """
            With the recovery key: accept a backup even if ward cannot check that it is yours. Early versions made such backups.
            """
    )
    var trustUnproven = false
    @Option(
        name: .customLong("secret-key-fd"),
        help: ArgumentHelp("Read the Secret Key from this file descriptor.", valueName: "n")
    )
    var secretKeyDescriptor: Int32?
    @Flag(help: "Type the recovery key instead of passphrase and Secret Key, and choose a new passphrase.")
    var recoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp(
            "Read the recovery key from this file descriptor; --passphrase-fd then reads the new passphrase.",
            valueName: "n"
        )
    )
    var recoveryKeyDescriptor: Int32?

    func validate() throws {
        guard source == nil || item.isEmpty, source == nil || revision == nil else {
            throw ValidationError("--from restores the whole vault. Leave out the item.")
        }
        guard source != nil || !item.isEmpty else {
            throw ValidationError("Give an item, or a backup: ward restore --from PLACE.")
        }
        let flags = replace || trustThisFile || trustUnproven || recoveryKey
        guard source != nil || !(flags || secretKeyDescriptor != nil || recoveryKeyDescriptor != nil) else {
            throw ValidationError("Give the place of the backup: ward restore --from PLACE.")
        }
    }

    func run() async throws {
        if let source { try await restoreVault(from: Paths.absolute(source)) } else { try await restoreItem() }
    }

    private func restoreItem() async throws {
        let authorization = try options.authorization()
        let (words, kinds): (String, ItemPicker.Kinds) = (item.joined(separator: " "), revision == nil ? .trash : .all)
        try await options.withAgent { agent in
            let restored = try await ItemPicker.pick(words, options, authorization, agent, from: kinds) {
                try await agent.call(RestoreItem(authorization: authorization, item: $0, revision: revision))
            }
            if options.json { return try Output.json(restored) }
            let title = Table.clean(restored.title)
            Output.lines([
                revision.map { "\(title) is back at revision \(Table.clean($0))." } ?? "\(title) is back."
            ])
        }
    }

    // MARK: The vault

    private func restoreVault(from path: String) async throws {
        var method = RestoreVault(
            authorization: try options.authorization(),
            path: path,
            replaces: replace,
            trustsFile: trustThisFile
        )
        method.trustsUnproven = trustUnproven
        method.secretKey = try secretKeyDescriptor.map { try AgentOptions.readLine($0, "--secret-key-fd \($0)") }
        if recoveryKey || recoveryKeyDescriptor != nil {
            method.recoveryKey = try RecoveryKeyText.read(descriptor: recoveryKeyDescriptor)
        }
        if method.recoveryKey != nil { _ = try strength.checked(method.authorization.passphrase) }
        let vault = try options.vault()
        if method.recoveryKey != nil, method.authorization.passphrase == nil {
            method.authorization.passphrase = try NewPassphrase.ask(for: vault.location.database, strength)
        }
        let canAsk = Terminal.isInteractive && !options.noPrompt && secretKeyDescriptor == nil
        let start = method
        try await vault.withAgent(creates: true) { agent in
            let restored = try await restore(start, asking: canAsk, agent)
            if options.json { return try Output.json(restored) }
            Output.lines(Self.lines(restored, vault))
        }
    }

    /// Asks for the Secret Key, if no other Secret Key matches.
    private func restore(
        _ method: RestoreVault,
        asking canAsk: Bool,
        _ agent: AgentClient
    ) async throws -> RestoreVault.Result {
        var method = method
        while true {
            do {
                return try await agent.call(method)
            } catch let error as AgentError where canAsk && Self.asksForKey.contains(error.code.rawValue) {
                guard error.code != .invalidValue || method.secretKey != nil else { throw error }
                Terminal.note("\(error.message)")
                method.secretKey = String(
                    decoding: try Question.secret("Secret Key, from paper or another device: "),
                    as: UTF8.self
                )
            }
        }
    }

    private static let asksForKey = ["secret_key_missing", "wrong_secret_key", AgentError.Code.invalidValue.rawValue]

    private static func lines(_ restored: RestoreVault.Result, _ vault: VaultChoice) -> [String] {
        var lines = [
            "Restored \(Paths.short(Table.clean(restored.source))), last changed \(When.minute(restored.lastChange)).",
            "\(vault.subject) is open, with \(restored.items) item\(restored.items == 1 ? "" : "s").",
        ]
        if let count = restored.unreadable?.count {
            lines.append("\(count == 1 ? "1 item is" : "\(count) items are") damaged, as in the backup: ward list")
        }
        if let replaced = restored.replaced { lines.append("The vault before is kept as \(Paths.short(replaced))") }
        return lines + SyncText.newDevice(restored.isNewDevice, former: restored.formerDevice)
    }
}
