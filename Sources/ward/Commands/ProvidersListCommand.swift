import ArgumentParser
import Foundation
import WardAgentClient

/// Lists credential managers.
struct ProvidersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List credential managers, enabled ones first."
    )

    @OptionGroup var options: QuestionOptions

    func run() async throws {
        let json = options.json
        try await options.withDefaultAgent { agent in
            try ProvidersCommand.show(try await agent.call(ListProviders()), json: json)
        }
    }
}
