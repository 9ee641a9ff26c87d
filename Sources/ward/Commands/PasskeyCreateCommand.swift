import ArgumentParser
import Foundation
import WardAgentClient

/// Creates a passkey in the same way as for a page.
struct PasskeyCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract:
            "Create a passkey like a web page: read options from standard input, write the response to standard output.",
        discussion: """
            Reads PublicKeyCredentialCreationOptionsJSON, alone or under "publicKey", and prints RegistrationResponseJSON.

            ward passkey create --origin https://example.com < options.json > response.json
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws {
        let method = CreatePasskey(
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
