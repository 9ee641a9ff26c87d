import ArgumentParser

/// A person's vaults.
struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "List or rename your vaults.",
        discussion: """
            You can have several vaults. Each has its own passphrase, keys and agent. The default vault needs no name. To \
            create another vault: ward init --vault NAME. To use it, add --vault NAME to a command, or set the variable \
            WARD_VAULT.
            """,
        subcommands: [VaultListCommand.self, VaultRenameCommand.self]
    )
}
