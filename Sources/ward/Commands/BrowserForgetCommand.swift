import ArgumentParser
import Foundation
import WardAgentClient

/// Removes a connected browser.
struct BrowserForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Disconnect a browser. It gets nothing until you connect it again."
    )

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("Name of the browser, or path of its program.", valueName: "browser"))
    var browser: String

    func run() async throws {
        let name = browser.contains("/") ? URL(fileURLWithPath: browser).path : browser
        try await options.withDefaultAgent { agent in
            let removed = try await agent.call(ForgetBrowser(browser: name))
            if options.json { return try Output.json(removed) }
            Output.lines(removed.browsers.map { "Disconnected \(Table.clean($0.name)) (\(Table.clean($0.path)))." })
        }
    }
}
