import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Opens the page of a site where a person changes the password.
struct AuditFixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix",
        abstract: "Open the page where you change the password of an item.",
        discussion: """
            The address comes from the list of ward update-data. If the list does not have the site, the site itself is asked for \
            its address /.well-known/change-password. Otherwise the site's own address opens.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Print the address, and do not open it.")
    var printOnly = false
    @OptionGroup var item: ItemArgument

    private struct Opened: Encodable {
        let address: String
        let source: String
        let isOpened: Bool
    }

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let record = try await item.pick(options, authorization, agent) {
                try await agent.call(GetItem(authorization: authorization, item: $0))
            }
            guard let site = record.sites.lazy.compactMap({ OpenCommand.web($0.address) }).first else {
                throw Failure(
                    .missing,
                    "\(record.title) has no web address. Add one: ward edit \(record.id.prefix(8)) --site https://…"
                )
            }
            let page = await ChangePasswordPage.find(for: site, in: SiteData(folder: SiteData.folder()))
            if !printOnly { try Browser.open(page.address) }
            if options.json {
                return try Output.json(
                    Opened(address: page.address, source: page.source.rawValue, isOpened: !printOnly)
                )
            }
            let address = Table.clean(page.address)
            Output.lines([printOnly ? address : "Opened \(address)."])
            if page.source == .site {
                Terminal.note("\(SiteText.host(site)) does not say where passwords are changed.")
            }
        }
    }
}
