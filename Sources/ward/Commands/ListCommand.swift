import ArgumentParser
import Foundation
import WardAgentClient

/// Lists items.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items. With words, list only items that contain all words.",
        discussion:
            "Searches titles, user names, sites and tags. Case and accents do not matter. In a pipe the columns are separated by tabs."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Words to search for.", valueName: "query"))
    var query: [String] = []
    @Option(help: ArgumentHelp("Only items of this site.", valueName: "address"))
    var site: String?
    @Option(help: ArgumentHelp("Only items of this kind: \(ItemKindOption.list).", valueName: "kind"))
    var kind: String?
    @Option(help: "Only items with this tag.")
    var tag: String?
    @Flag(help: "Only favorites.")
    var favorites = false
    @Flag(help: "List the trash.")
    var trash = false

    func validate() throws { try ItemKindOption.check(kind) }

    func run() async throws {
        let method = ListItems(
            authorization: try options.authorization(),
            query: query.joined(separator: " "),
            site: site,
            kind: kind,
            tag: tag,
            inTrash: trash
        )
        try await options.withAgent { agent in
            let found = try await agent.call(method)
            let items = favorites ? found.items.filter(\.isFavorite) : found.items
            if let damaged = found.damaged { Self.warn(damaged) }
            if options.json { return try Output.json(items) }
            guard !items.isEmpty else {
                let next =
                    query.isEmpty && site == nil && kind == nil && tag == nil && !favorites
                    ? "Add an item: ward add" : "List all items: ward list"
                return Terminal.note(trash ? "The trash is empty." : "Nothing found. \(next)")
            }
            Output.table(Self.table(items))
            Self.warn(conflicts: items.filter { $0.conflicts != nil })
        }
    }

    static func table(_ items: [SummaryRecord]) -> Table {
        var table = Table([
            .init(heading: "Title"), .init(heading: "User name"), .init(heading: "Site"),
            .init(heading: "Has", shrinks: false), .init(heading: "ID", shrinks: false),
        ])
        for item in items {
            var has: [String] = []
            if item.isDamaged == true { has.append("damaged") }
            if item.conflicts != nil { has.append("conflict") }
            if item.kind != "login" { has.append(item.kind) }
            if item.passkeys > 0 { has.append(item.passkeys == 1 ? "passkey" : "\(item.passkeys) passkeys") }
            if item.hasPassword { has.append("password") }
            if item.codes > 0 { has.append("code") }
            table.add([
                (item.isFavorite && isatty(STDOUT_FILENO) == 1 ? "★ " : "")
                    + title(of: item), item.username,
                SiteText.host(item.sites.first ?? ""),
                has.joined(separator: ", "), String(item.id.prefix(8)),
            ])
        }
        return table
    }

    /// The title; the name of the site if the title is only a domain.
    private static func title(of item: SummaryRecord) -> String {
        guard !item.title.isEmpty else { return item.siteName ?? "(title unknown)" }
        let host = SiteText.host(item.sites.first ?? "").lowercased()
        let isHost =
            [host, "www." + host].contains(item.title.lowercased()) || "www." + item.title.lowercased() == host
        return isHost ? item.siteName ?? item.title : item.title
    }

    /// Lists items with conflicts between two devices, on standard error.
    private static func warn(conflicts items: [SummaryRecord]) {
        guard let first = items.first else { return }
        Terminal.note(
            "\(items.count == 1 ? "1 item has" : "\(items.count) items have") other values from another device. "
                + "See them: ward show \(first.id.prefix(8))"
        )
    }

    /// Reports damaged items on standard error, so that pipes stay clean.
    private static func warn(_ damaged: [String]) {
        let which = damaged.prefix(3).map { String($0.prefix(8)) }
        let more = damaged.count > 3 ? " and \(damaged.count - 3) more" : ""
        Terminal.note(
            "\(damaged.count == 1 ? "1 item is" : "\(damaged.count) items are") damaged: "
                + "\(which.joined(separator: ", "))\(more). See what can be restored: ward history \(which.first ?? "ID")"
        )
    }
}
