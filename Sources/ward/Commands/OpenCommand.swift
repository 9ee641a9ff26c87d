import ArgumentParser
import Foundation
import WardAgentClient

/// Opens the site of an item.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the site of an item in the browser.",
        discussion: "Opens the first web address of the item with xdg-open: https, or http if the item says so."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let record = try await item.pick(options, authorization, agent) {
                try await agent.call(GetItem(authorization: authorization, item: $0))
            }
            guard let address = record.sites.lazy.compactMap({ Self.web($0.address) }).first else {
                throw Failure(
                    .missing,
                    "\(record.title) has no web address. Add one: ward edit \(record.id.prefix(8)) --site https://…"
                )
            }
            try Browser.open(address)
            if options.json { return try Output.json(["opened": address]) }
            Output.lines(["Opened \(Table.clean(address))."])
        }
    }

    /// The address in the form for a browser.
    ///
    /// It is `nil` for apps, and for addresses other than http and https.
    static func web(_ address: String) -> String? {
        let text = address.contains("://") ? address : "https://" + address
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "https" || scheme == "http", parts.host?.isEmpty == false
        else { return nil }
        return parts.string
    }
}
