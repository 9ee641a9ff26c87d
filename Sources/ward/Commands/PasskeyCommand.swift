import ArgumentParser
import Foundation
import WardAgentClient

/// Passkeys.
struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "List, remove, make and use passkeys.",
        subcommands: [List.self, Remove.self, Create.self, Get.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List passkeys.")

        @OptionGroup var options: AgentOptions
        @Option(help: ArgumentHelp("Only those of this RP ID.", valueName: "domain"))
        var rpId: String?

        func run() async throws {
            let method = ListPasskeys(authorization: try options.authorization(), rpID: rpId)
            try await options.withAgent { agent in
                let passkeys = try await agent.call(method).passkeys
                if options.json { return try Output.json(passkeys) }
                guard !passkeys.isEmpty else {
                    return Terminal.note("There are no passkeys yet: a site makes one, in its security settings.")
                }
                var table = Table([
                    .init(heading: "Site"), .init(heading: "Account"), .init(heading: "Made", shrinks: false),
                    .init(heading: "Used", shrinks: false), .init(heading: "Key", shrinks: false),
                    .init(heading: "Credential", shrinks: false),
                ])
                for passkey in passkeys {
                    table.add([
                        passkey.rpID, passkey.userName + (passkey.isHidden ? " (no longer known)" : ""),
                        When.day(passkey.createdAt), passkey.lastUsedAt.map(When.day) ?? "never", passkey.algorithm,
                        String(passkey.credentialID.prefix(10)),
                    ])
                }
                Output.lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a passkey; the site is not told, and still shows it.",
            discussion: "Earlier states of the item keep it: ward restore ITEM --revision brings it back."
        )

        @OptionGroup var options: AgentOptions
        @Argument(help: ArgumentHelp("The credential in base64url, or the beginning of it.", valueName: "credential"))
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

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a passkey as a page would: options on standard input, the response on standard output.",
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
                options: try Text.read("-"),
                mediation: ceremony.mediation
            )
            try await options.withAgent { agent in
                let result = try await agent.call(method)
                for repair in result.repairs { Terminal.note("mended: \(Table.clean(repair))") }
                Output.json(result.response)
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Use a passkey as a page would: options on standard input, the response on standard output.",
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
                options: try Text.read("-"),
                mediation: ceremony.mediation
            )
            try await options.withAgent { agent in
                let result = try await agent.call(method)
                for repair in result.repairs { Terminal.note("mended: \(Table.clean(repair))") }
                Output.json(result.response)
            }
        }
    }
}

/// Who asks, and how.
struct CeremonyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Whose page or app asks, such as https://example.com.", valueName: "origin"))
    var origin: String
    @Option(
        help: ArgumentHelp(
            "The origin in the address bar, if the page is in a frame of another origin.",
            valueName: "origin"
        )
    )
    var topOrigin: String?
    @Option(help: ArgumentHelp("silent, optional, required or conditional, as a page would say.", valueName: "how"))
    var mediation: String?

    func validate() throws {
        guard mediation.map({ ["silent", "optional", "required", "conditional"].contains($0) }) ?? true else {
            throw ValidationError("--mediation is silent, optional, required or conditional.")
        }
    }
}
