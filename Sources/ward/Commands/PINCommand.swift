import ArgumentParser

/// The PIN by which a person shows who they are.
struct PINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Set a PIN that a passkey asks for instead of the passphrase.",
        discussion: """
            The PIN shows that it is you while the vault is open; it does not open the vault. After five wrong PINs, after 14 \
            days and after a reboot the passphrase is asked. ward pin remove switches it off.
            """,
        subcommands: [PINSetCommand.self, PINRemoveCommand.self, PINStatusCommand.self],
        defaultSubcommand: PINStatusCommand.self
    )
}
