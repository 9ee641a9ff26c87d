import ArgumentParser
import Foundation
import WardAgentClient
import WardWebAuthn

struct PasskeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List passkeys.")

    @OptionGroup var options: AgentOptions
    @Option(help: ArgumentHelp("Only passkeys of this RP ID.", valueName: "domain"))
    var rpId: String?

    func run() async throws {
        let method = ListPasskeys(authorization: try options.authorization(), rpID: rpId)
        try await options.withAgent { agent in
            let passkeys = try await agent.call(method).passkeys
            if options.json { return try Output.json(passkeys) }
            guard !passkeys.isEmpty else {
                return Terminal.note("There are no passkeys yet. Create one in the security settings of a site.")
            }
            var table = Table([
                .init(heading: "Site"), .init(heading: "Account"), .init(heading: "Made", shrinks: false),
                .init(heading: "Used", shrinks: false), .init(heading: "Key", shrinks: false),
                .init(heading: "Credential", shrinks: false),
            ])
            for passkey in passkeys {
                table.add([
                    passkey.rpID, passkey.userName + (passkey.isHidden ? " (removed at the site)" : ""),
                    When.day(passkey.createdAt), passkey.lastUsedAt.map(When.day) ?? "never", passkey.algorithm,
                    String(passkey.credentialID.base64URL.prefix(10)),
                ])
            }
            Output.table(table)
        }
    }
}
