import ArgumentParser

/// The PIN that verifies the person.
struct PINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Set a PIN. You can then use a passkey with the PIN instead of the passphrase.",
        discussion: """
            The PIN verifies you while the vault is open; it does not open the vault. After five wrong PINs, after 14 days \
            and after a reboot, ward asks for the passphrase instead. To remove the PIN: ward pin remove.
            """,
        subcommands: [PINSetCommand.self, PINRemoveCommand.self, PINStatusCommand.self],
        defaultSubcommand: PINStatusCommand.self
    )
}
