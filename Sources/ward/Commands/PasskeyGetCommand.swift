import ArgumentParser
import Foundation
import WardAgentClient

/// Uses a passkey in the same way as for a page.
struct PasskeyGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract:
            "Use a passkey like a web page: read options from standard input, write the response to standard output.",
        discussion: """
            Reads PublicKeyCredentialRequestOptionsJSON, alone or under "publicKey", and prints AuthenticationResponseJSON.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws {
        let method = UsePasskey(
            authorization: try options.authorization(),
            origin: ceremony.origin,
            topOrigin: ceremony.topOrigin,
            options: try TextFile.read("-"),
            mediation: ceremony.mediation
        )
        try await options.withAgent { agent in
            let result = try await agent.call(method)
            for repair in result.repairs { Terminal.note("Repaired: \(Table.clean(repair))") }
            Output.json(result.response)
        }
    }
}
