import ArgumentParser
import Foundation
import WardAgentClient

/// Fetches the names and icons of sites.
struct IconsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "icons",
        abstract: "Fetch the names and icons of your sites, and keep them in the vault.",
        discussion: """
            Ward asks the sites themselves, over HTTPS and without cookies, and no other service. Before it begins it says what it \
            sends and to whom, and asks. Nothing is fetched at any other time.

            ward list and ward show print the name, and the browser extension shows both. An item without an icon gets a letter. \
            A name comes from the site, so it proves nothing: check the domain beside it.

            A site is asked again after 90 days, or with --again.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Ask all sites again.")
    var again = false
    @Flag(help: "Remove the names and icons from the vault, and ask no site.")
    var remove = false
    @OptionGroup var sending: ConsentOptions
    @Argument(
        help: ArgumentHelp("Only the sites of these items: title, words or ID.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var items: [String] = []

    private struct Fetched: Encodable {
        struct Site: Encodable {
            let domain: String
            let name: String?
            let hasIcon: Bool
        }

        let sites: [Site]
        let items: Int
    }

    func validate() throws {
        guard !remove || (!again && sending.isEmpty) else {
            throw ValidationError("Use --remove without --again, --yes and --remember.")
        }
    }

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            if remove {
                let done = try await agent.call(RemoveSiteAppearances(authorization: authorization, items: items))
                if options.json { return try Output.json(done) }
                return Output.lines(["Removed from \(AuditReport.number(done.items, "item", "items"))."])
            }
            let wanted = ListSitesWithoutAppearance(authorization: authorization, items: items, isAgain: again)
            let domains = try await agent.call(wanted).domains
            if domains.isEmpty, !options.json {
                let which =
                    items.isEmpty
                    ? "Every site is here already, or there are none"
                    : "These sites are here already, or there are none"
                return Terminal.note("\(which). To ask again: ward icons --again")
            }
            let lookup = SiteLookup(domains)
            if !domains.isEmpty { try sending.consent.ask(lookup.text, as: "icons sites", options) }
            var changed = 0
            let progress = ProgressLine(isShown: isatty(STDERR_FILENO) == 1 && !options.json)
            let found = try await lookup.run(progress) { sites in
                changed += try await agent.call(KeepSiteAppearances(authorization: authorization, sites: sites)).items
            }
            try report(found, changed)
        }
    }

    private func report(_ found: [(domain: String, site: KeepSiteAppearances.Site?)], _ changed: Int) throws {
        if options.json {
            let sites = found.map {
                let name = $0.site.flatMap { $0.name.isEmpty ? nil : $0.name }
                return Fetched.Site(domain: $0.domain, name: name, hasIcon: $0.site?.icon != nil)
            }
            return try Output.json(Fetched(sites: sites, items: changed))
        }
        var table = Table([.init(heading: "Site"), .init(heading: "Name"), .init(heading: "Icon", shrinks: false)])
        for (domain, site) in found {
            table.add([
                domain, site.map { $0.name.isEmpty ? "–" : $0.name } ?? "no answer", site?.icon == nil ? "–" : "yes",
            ])
        }
        Output.table(table)
        let answers = found.count { $0.site != nil }
        Terminal.note(
            "\(answers) of \(AuditReport.number(found.count, "site", "sites")) answered. "
                + "Changed: \(AuditReport.number(changed, "item", "items"))."
        )
    }
}
