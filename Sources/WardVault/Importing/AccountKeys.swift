internal import WardDomains

/// The accounts that an item can belong to: its sites and its user names.
struct AccountKeys {
    /// The registrable domains, the groups of domains that share their accounts, and apps.
    let sites: Set<String>
    /// The user names, without case and accents; one empty name if the item has none.
    let names: Set<String>
    /// The hosts with their ports, without `www.`.
    let hosts: Set<String>

    init(_ item: Item, _ suffixes: PublicSuffixList, _ shared: SharedCredentials) {
        self.init(ItemSummary(item), suffixes, shared)
    }

    init(_ summary: ItemSummary, _ suffixes: PublicSuffixList, _ shared: SharedCredentials) {
        sites = SiteKeys.keys(summary, suffixes).union(Self.groups(summary, shared))
        let folded = ([summary.username] + summary.passkeys.map(\.userName)).map { SearchText.folded($0.trimmed) }
            .filter { !$0.isEmpty }
        names = folded.isEmpty ? [""] : Set(folded)
        hosts = Set(summary.sites.map(Self.host) + summary.passkeys.map(\.rpID))
    }

    private static func groups(_ summary: ItemSummary, _ shared: SharedCredentials) -> [String] {
        guard !shared.groups.isEmpty else { return [] }
        let domains = summary.sites.compactMap(\.host) + summary.passkeys.map { $0.rpID.lowercased() }
        // No domain has a space.
        return domains.flatMap(shared.places(of:)).map { "group \($0)" }
    }

    private static func host(_ site: Site) -> String {
        guard case .web(let text) = site.target, let address = SiteAddress(text) else { return site.text }
        let host = address.host.hasPrefix("www.") ? String(address.host.dropFirst(4)) : address.host
        return address.port.isEmpty ? host : host + ":" + address.port
    }
}
