import ArgumentParser
import Foundation
import WardAgentClient

/// Enables a credential manager.
struct ProvidersEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable a credential manager.",
        discussion: "The credential manager learns which apps send requests, and for which domains."
    )

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("Identifier of the manager.", valueName: "identifier"))
    var identifier: String

    func run() async throws {
        let (json, method) = (options.json, EnableProvider(identifier: identifier))
        try await options.withDefaultAgent { agent in
            try ProvidersCommand.show(try await agent.call(method), json: json)
        }
    }
}
