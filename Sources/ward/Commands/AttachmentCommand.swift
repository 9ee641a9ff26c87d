import ArgumentParser

/// Attached files.
struct AttachmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachment",
        abstract: "Write an attached file to disk, or remove it.",
        subcommands: [AttachmentGetCommand.self, AttachmentRemoveCommand.self]
    )
}
