import ArgumentParser

/// Quick unlock: a PIN opens the vault, and the TPM checks the PIN.
struct QuickUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quick-unlock",
        abstract: "Open the vault with a PIN that this machine's TPM checks.",
        discussion: """
            The TPM checks the PIN, and locks itself after too many wrong PINs. After five wrong PINs, after 14 days and \
            after a reboot, you type the passphrase once; then the PIN opens the vault again. Quick unlock needs tpm2-tss, \
            and your user must be in the group tss. To switch it off: ward quick-unlock off.
            """,
        subcommands: [QuickUnlockOnCommand.self, QuickUnlockOffCommand.self, QuickUnlockStatusCommand.self],
        defaultSubcommand: QuickUnlockStatusCommand.self
    )
}
