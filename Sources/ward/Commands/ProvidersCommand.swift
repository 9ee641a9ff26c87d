import ArgumentParser
import Foundation
import WardAgentClient

/// Which credential managers apps get something from.
struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List credential managers, and say which of them apps get something from.",
        discussion: """
            Ward's own vault is one of them, and the first. Others are declared by files in ward/providers of \
            $XDG_DATA_HOME and $XDG_DATA_DIRS. Three may be in use. With none in use that has passkeys, passkeys are off.
            """,
        subcommands: [List.self, Enable.self, Disable.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List credential managers, those in use first.")

        @OptionGroup var options: AgentOptions

        func run() async throws {
            let json = options.json
            try await options.withAgent { agent in
                try ProvidersCommand.show(try await agent.call(ListProviders()), json: json)
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a credential manager to use.",
            discussion: "It is told for which domains apps ask, and what the apps call themselves."
        )

        @OptionGroup var options: AgentOptions
        @Argument(help: ArgumentHelp("Its identifier.", valueName: "identifier"))
        var identifier: String

        func run() async throws {
            let (json, method) = (options.json, EnableProvider(identifier: identifier))
            try await options.withAgent { agent in
                try ProvidersCommand.show(try await agent.call(method), json: json)
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a credential manager out of use; what it has stays where it is."
        )

        @OptionGroup var options: AgentOptions
        @Argument(help: ArgumentHelp("Its identifier; ward for Ward's own vault.", valueName: "identifier"))
        var identifier: String

        func run() async throws {
            let (json, method) = (options.json, DisableProvider(identifier: identifier))
            try await options.withAgent { agent in
                try ProvidersCommand.show(try await agent.call(method), json: json)
            }
        }
    }

    private static func show(_ result: ListProviders.Result, json: Bool) throws {
        if json { return try Output.json(result) }
        var table = Table([
            .init(heading: "In use", shrinks: false), .init(heading: "Identifier"), .init(heading: "Name"),
            .init(heading: "Has"),
        ])
        let words = [
            "ProvidesPasskeys": "passkeys", "ProvidesPasswords": "passwords", "ProvidesOneTimeCodes": "codes",
            "ProvidesTextToInsert": "text", "SupportsConditionalPasskeyRegistration": "upgrades",
        ]
        for provider in result.providers {
            table.add([
                provider.isEnabled ? "yes" : "no", provider.identifier, provider.name,
                provider.capabilities.compactMap { words[$0] }.joined(separator: ", "),
            ])
        }
        Output.lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
        for provider in result.providers {
            if let problem = provider.problem {
                Terminal.note("\(Table.clean(provider.identifier)): \(Table.clean(problem))")
            }
        }
        PasskeysCommand.note(result)
    }
}
