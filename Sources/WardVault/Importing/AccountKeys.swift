internal import WardDomains

/// Domains that share their accounts, such as the domains of one company.
public struct SharedDomains: Hashable, Sendable {
    private var names: [String: String] = [:]

    /// No domains share accounts.
    public static let none = SharedDomains([])

    /// Creates the groups from lists of domains.
    public init(_ groups: [[String]]) {
        for group in groups {
            guard let first = group.first?.lowercased() else { continue }
            for domain in group { names[domain.lowercased()] = names[first] ?? first }
        }
    }

    /// The name of a domain's group, or the domain itself.
    func name(of domain: String) -> String { names[domain] ?? domain }
}

/// The accounts that an item can belong to: its sites and its user names.
struct AccountKeys {
    /// The registrable domains, or the names of their groups; and apps.
    let sites: Set<String>
    /// The user names, without case and accents; one empty name if the item has none.
    let names: Set<String>
    /// The hosts with their ports, without `www.`.
    let hosts: Set<String>

    init(_ item: Item, _ suffixes: PublicSuffixList, _ shared: SharedDomains) {
        self.init(ItemSummary(item), suffixes, shared)
    }

    init(_ summary: ItemSummary, _ suffixes: PublicSuffixList, _ shared: SharedDomains) {
        sites = Set(SiteKeys.keys(summary, suffixes).map(shared.name(of:)))
        let folded = ([summary.username] + summary.passkeys.map(\.userName)).map { SearchText.folded($0.trimmed) }
            .filter { !$0.isEmpty }
        names = folded.isEmpty ? [""] : Set(folded)
        hosts = Set(summary.sites.map(Self.host) + summary.passkeys.map(\.rpID))
    }

    private static func host(_ site: Site) -> String {
        guard case .web(let text) = site.target, let address = SiteAddress(text) else { return site.text }
        let host = address.host.hasPrefix("www.") ? String(address.host.dropFirst(4)) : address.host
        return address.port.isEmpty ? host : host + ":" + address.port
    }
}
