import ArgumentParser

/// `ward-server`: parsing of arguments and wiring, nothing else.
@main
struct WardServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ward-server",
        abstract: "Accounts and sign-in with passkeys.",
        subcommands: [Serve.self],
        defaultSubcommand: Serve.self
    )
}
