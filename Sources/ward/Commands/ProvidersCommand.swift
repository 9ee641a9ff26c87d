import ArgumentParser
import Foundation
import WardAgentClient

/// The commands that list, enable and disable credential managers.
struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List credential managers and choose which ones apps may use.",
        discussion: """
            Ward's own vault is the first. Other managers are declared by files in ward/providers of $XDG_DATA_HOME and \
            $XDG_DATA_DIRS. At most three are enabled. Without an enabled manager that has passkeys, passkeys are off.
            """,
        subcommands: [ProvidersListCommand.self, ProvidersEnableCommand.self, ProvidersDisableCommand.self]
    )

    static func show(_ result: ListProviders.Result, json: Bool) throws {
        if json { return try Output.json(result) }
        var table = Table([
            .init(heading: "Enabled", shrinks: false), .init(heading: "Identifier"), .init(heading: "Name"),
            .init(heading: "Has"),
        ])
        let words = [
            "ProvidesPasskeys": "passkeys", "ProvidesPasswords": "passwords", "ProvidesOneTimeCodes": "codes",
            "ProvidesTextToInsert": "text", "SupportsConditionalPasskeyRegistration": "upgrades",
            "SupportsSavePasswordCredentials": "saving",
        ]
        for provider in result.providers {
            table.add([
                provider.isEnabled ? "yes" : "no", provider.identifier, provider.name,
                (provider.capabilities.compactMap { words[$0] }
                    + (provider.verifiesUser == true ? ["verification"] : []))
                    .joined(separator: ", "),
            ])
        }
        Output.table(table)
        for provider in result.providers {
            if let problem = provider.problem {
                Terminal.note("\(Table.clean(provider.identifier)): \(Table.clean(problem))")
            }
        }
        PasskeysCommand.note(result)
    }
}
