import ArgumentParser

/// Whether a PIN that the TPM checks opens the vault.
struct QuickUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quick-unlock",
        abstract: "Let a PIN open the vault, with this machine's TPM.",
        discussion: """
            The TPM checks the PIN and locks itself after too many wrong ones. After five wrong PINs, after 14 days and after \
            a reboot the passphrase is needed once; then the PIN opens the vault again. Needs tpm2-tss, and a user in the \
            group tss. ward quick-unlock off switches it off.
            """,
        subcommands: [QuickUnlockOnCommand.self, QuickUnlockOffCommand.self, QuickUnlockStatusCommand.self],
        defaultSubcommand: QuickUnlockStatusCommand.self
    )
}
