import ArgumentParser
import Foundation

/// Commands for passkeys.
struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "List, remove, create and use passkeys.",
        subcommands: [
            PasskeyListCommand.self, PasskeyRemoveCommand.self, PasskeyCreateCommand.self, PasskeyGetCommand.self,
        ]
    )
}
