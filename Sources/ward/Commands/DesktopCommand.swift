import ArgumentParser

/// The commands for programs of the desktop.
struct DesktopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop",
        abstract: "Let programs of the desktop use passkeys over the message bus.",
        subcommands: [DesktopPortalCommand.self]
    )
}
