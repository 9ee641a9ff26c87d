import ArgumentParser
import Foundation
import WardAgentClient

/// Lists registered apps.
struct AppsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List registered programs, and show whether their files have changed."
    )

    @OptionGroup var options: QuestionOptions

    func run() async throws {
        try await options.withDefaultAgent { agent in
            let result = try await agent.call(ListApps())
            if options.json { return try Output.json(result) }
            for problem in result.problems { Terminal.note("Ignored: \(Table.clean(problem))") }
            guard !result.apps.isEmpty else {
                return Terminal.note(
                    "No programs are registered. Register one: ward apps add PATH --id com.example.app --name Name"
                )
            }
            var table = Table([
                .init(heading: "App"), .init(heading: "Identifier"), .init(heading: "Program"),
                .init(heading: "SHA-256", shrinks: false), .init(heading: "State", shrinks: false),
                .init(heading: "By", shrinks: false),
            ])
            for app in result.apps {
                table.add([
                    app.displayName, app.identifier,
                    app.isFlatpak == true
                        ? "Flatpak, for " + app.domains.joined(separator: ", ") : Paths.short(app.path),
                    String(app.digest.prefix(12)),
                    app.state.rawValue, app.isAdministrators ? "administrator" : "you",
                ])
            }
            Output.table(table)
        }
    }
}
