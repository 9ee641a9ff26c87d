import ArgumentParser

/// A person's vaults.
struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "List or rename your vaults.",
        discussion: """
            A person can have several vaults, each with a passphrase, keys and an agent of its own. The default vault needs no \
            name. ward init --vault NAME creates another one, and --vault NAME or the variable WARD_VAULT chooses it.
            """,
        subcommands: [VaultListCommand.self, VaultRenameCommand.self]
    )
}
