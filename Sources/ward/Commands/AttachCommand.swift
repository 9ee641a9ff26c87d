import ArgumentParser
import WardAgentClient

/// Attaches files to an item.
struct AttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach files to an item, up to 1 MiB each.",
        discussion: """
            An item can have 16 attachments, together at most 8 MiB. ward show lists them. ward attachment get writes one to \
            a file.

            ward attach Passport scan.pdf
            ward attach "Home network" - --name router.conf < router.conf
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: OneItemArgument
    @Argument(help: ArgumentHelp("File to attach; - for standard input.", valueName: "file"), completion: .file())
    var files: [String]
    @Option(help: ArgumentHelp("Name of the attachment. Default: the file's name.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("Media type. Default: the type for the extension of the file name.", valueName: "type"))
    var type: String?

    func run() async throws {
        let authorization = try options.authorization()
        var change = ItemChange()
        change.addAttachments = try AttachmentFile.read(files, name: name, type: type)
        let attached = change
        try await options.withAgent { agent in
            let record = try await item.pick(options, authorization, agent) {
                try await agent.call(EditItem(authorization: authorization, item: $0, change: attached))
            }
            if options.json { return try Output.json(record) }
            let what = files.count == 1 ? "1 file" : "\(files.count) files"
            Output.lines(["Attached \(what) to \(Table.clean(record.title)) [\(record.id.prefix(8))]."])
        }
    }
}
