import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Changes an item.
struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change an item. The revision before stays in its history."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Title, words or ID of the item.", valueName: "item"))
    var item: [String]
    @Option(help: ArgumentHelp("New title.", valueName: "title"))
    var title: String?
    @OptionGroup var changes: ItemOptions
    @Option(help: ArgumentHelp("Site to remove; repeatable.", valueName: "address"))
    var removeSite: [String] = []
    @Option(help: ArgumentHelp("Tag to remove; repeatable.", valueName: "word"))
    var removeTag: [String] = []
    @Option(help: ArgumentHelp("Verification code to remove, counted from 0; repeatable.", valueName: "n"))
    var removeCode: [Int] = []
    @Option(help: ArgumentHelp("Field to remove; repeatable.", valueName: "label"))
    var removeField: [String] = []
    @Flag(help: "Remove the password.")
    var removePassword = false

    func run() async throws {
        let authorization = try options.authorization()
        var change = try changes.change()
        change.title = title
        change.removeSites = removeSite
        change.removeTags = removeTag
        change.removeCodes = removeCode
        change.fields += removeField.map { .init(label: $0, value: nil) }
        if removePassword { change.password = "" }
        let method = EditItem(authorization: authorization, item: item.joined(separator: " "), change: change)
        try await options.withAgent { agent in
            let edited = try await agent.call(method)
            if options.json { return try Output.json(edited) }
            Output.lines(["Changed \(edited.title) [\(edited.id.prefix(8))]."])
        }
    }
}
