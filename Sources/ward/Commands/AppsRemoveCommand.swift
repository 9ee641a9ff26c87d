import ArgumentParser
import Foundation
import WardAgentClient

/// Removes a registered app.
struct AppsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a program. Its items stay in the vault."
    )

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("Identifier or path of the program.", valueName: "app"))
    var app: String

    func run() async throws {
        let name = app.contains("/") ? URL(fileURLWithPath: app).path : app
        try await options.withDefaultAgent { agent in
            let removed = try await agent.call(RemoveApp(app: name)).apps
            if options.json { return try Output.json(removed) }
            Output.lines(
                removed.map {
                    $0.isFlatpak == true
                        ? "Removed the domains of \($0.identifier)."
                        : "Removed \(Table.clean($0.displayName)) (\($0.identifier), \(Table.clean($0.path)))."
                }
            )
        }
    }
}
