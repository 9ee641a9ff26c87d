import ArgumentParser
import Foundation
import WardAgentClient

struct PasskeyRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a passkey. The site does not learn this, and still lists the passkey.",
        discussion:
            "Earlier revisions of the item still have the passkey. To restore it: ward restore ITEM --revision N."
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp(
            "Credential ID in base64url, or its first characters. Put -- before one that begins with a hyphen.",
            valueName: "credential"
        )
    )
    var credential: String

    func run() async throws {
        let method = RemovePasskey(authorization: try options.authorization(), credentialID: credential)
        try await options.withAgent { agent in
            let removed = try await agent.call(method)
            if options.json { return try Output.json(removed) }
            Output.lines(["Removed the passkey of \(Table.clean(removed.userName)) at \(removed.rpID)."])
        }
    }
}
