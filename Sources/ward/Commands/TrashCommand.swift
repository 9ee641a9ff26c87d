import ArgumentParser
import Foundation

struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List the trash, or empty it.",
        discussion: """
            After 30 days in the trash, items are removed permanently. ward counts the days with the vault's log: at most \
            three days for each pause between two changes. So a wrong clock does not remove items.
            """,
        subcommands: [TrashListCommand.self, TrashEmptyCommand.self],
        defaultSubcommand: TrashListCommand.self
    )
}
