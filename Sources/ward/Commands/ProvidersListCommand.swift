import ArgumentParser
import Foundation
import WardAgentClient

/// Lists credential managers.
struct ProvidersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List credential managers, enabled ones first."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let json = options.json
        try await options.withAgent { agent in
            try ProvidersCommand.show(try await agent.call(ListProviders()), json: json)
        }
    }
}
