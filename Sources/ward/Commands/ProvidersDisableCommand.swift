import ArgumentParser
import Foundation
import WardAgentClient

/// Disables a credential manager.
struct ProvidersDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable a credential manager. Its items are not deleted."
    )

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("Identifier of the manager; ward for Ward's own vault.", valueName: "identifier"))
    var identifier: String

    func run() async throws {
        let (json, method) = (options.json, DisableProvider(identifier: identifier))
        try await options.withDefaultAgent { agent in
            try ProvidersCommand.show(try await agent.call(method), json: json)
        }
    }
}
