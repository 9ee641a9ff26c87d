import ArgumentParser
import Foundation
import WardAgentClient
import WardTerminal
import WardText

/// Writes an attached file to disk or to standard output.
struct AttachmentGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Write an attached file to disk. Only you can read the new file.",
        discussion: """
            The new file is in the current folder and has the attachment's name, without characters that are dangerous in a \
            path.

            ward attachment get Passport scan.pdf --output ~/Documents/
            ward attachment get "Home network" router.conf --output - | less
            """
    )

    /// What `--json` prints.
    private struct Written: Encodable {
        let attachment: AttachmentRecord
        let path: String
    }

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: OneItemArgument
    @Argument(help: ArgumentHelp("Name or ID of the attachment.", valueName: "attachment"))
    var attachment: String
    @Option(help: ArgumentHelp("File or folder to write to; - for standard output.", valueName: "path"))
    var output: String?
    @Flag(help: "Replace a file that exists.")
    var force = false
    @Option(help: ArgumentHelp("A revision: its number, or the first characters of its ID.", valueName: "revision"))
    var revision: String?

    func validate() throws {
        guard !(output == "-" && options.json) else { throw ValidationError("Use only one of --output - and --json.") }
    }

    func run() async throws {
        let authorization = try options.authorization()
        guard output != "-" || isatty(STDOUT_FILENO) != 1 else {
            throw Failure(
                .usage,
                "A file can have characters that a terminal obeys. Use a pipe, or name a file: --output PATH"
            )
        }
        try await options.withAgent { agent in
            let found = try await item.pick(options, authorization, agent, from: .all) {
                try await agent.call(
                    GetAttachment(authorization: authorization, item: $0, attachment: attachment, revision: revision)
                )
            }
            guard let content = Base64URL.decode(found.content) else {
                throw Failure(.failed, "The agent's answer has the wrong form. Restart the agent: ward agent --stop")
            }
            if output == "-" { return try Output.bytes(content) }
            let path = Self.path(output, found.attachment.fileName)
            try NewFile.write(content, to: path, replacing: force)
            if options.json { return try Output.json(Written(attachment: found.attachment, path: path)) }
            Output.lines(["Wrote \(path), \(SizeText.of(content.count))."])
        }
    }

    /// The path of the new file: the file's name in the current folder, or in the given folder.
    private static func path(_ output: String?, _ name: String) -> String {
        guard let output else { return "./" + name }
        var isFolder: ObjCBool = false
        let isThere = unsafe FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        guard output.hasSuffix("/") || (isThere && isFolder.boolValue) else { return output }
        return output.hasSuffix("/") ? output + name : output + "/" + name
    }
}
