import ArgumentParser
import Foundation

/// The vault's log.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Check the vault's signed log.",
        subcommands: [LogVerifyCommand.self]
    )
}
