import ArgumentParser
import Foundation

/// The trash.
struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List the trash, or empty it.",
        discussion: """
            Items are removed for good after 30 days in the trash. Days count by the vault's log, at most three for each pause \
            between changes, so a wrong clock removes nothing.
            """,
        subcommands: [TrashListCommand.self, TrashEmptyCommand.self],
        defaultSubcommand: TrashListCommand.self
    )
}
