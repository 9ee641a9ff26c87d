package import WardText

/// Groups of domains that share their accounts, such as `airbnb.com` and `airbnb.de`.
///
/// The list is `shared-credentials.json` of
/// [password-manager-resources](https://github.com/apple/password-manager-resources). A domain that moved to another one is in
/// one group with it.
public struct SharedCredentials: Hashable, Sendable {
    /// Without a list, no domains share their accounts.
    public static let none = SharedCredentials([])

    /// The groups in the order of the list.
    public let groups: [Set<String>]
    private let indexes: [String: [Int]]

    /// Creates a list from groups of domains in lower case.
    public init(_ groups: [Set<String>]) {
        self.groups = groups
        var indexes: [String: [Int]] = [:]
        for (index, group) in groups.enumerated() {
            for domain in group { indexes[domain, default: []].append(index) }
        }
        self.indexes = indexes
    }

    /// Reads the file.
    ///
    /// - Throws: ``SiteDataFault`` if a part of the file has the wrong form.
    package init(_ json: JSONValue) throws(SiteDataFault) {
        guard let entries = json.arrayValue else { throw SiteDataFault("the file must be a list of groups") }
        var groups: [Set<String>] = []
        for entry in entries {
            let parts = entry["shared"].map { [$0] } ?? [entry["from"], entry["to"]].compactMap { $0 }
            guard entry["shared"] != nil || parts.count == 2 else {
                throw SiteDataFault("a group must have the member “shared”, or the members “from” and “to”")
            }
            var group: Set<String> = []
            for part in parts {
                guard let domains = part.arrayValue, !domains.isEmpty else {
                    throw SiteDataFault("a group must have lists of domains")
                }
                for domain in domains { group.insert(try SiteData.domain(domain.stringValue)) }
            }
            groups.append(group)
        }
        self.init(groups)
    }

    /// The groups of a domain: other domains where its accounts work too.
    ///
    /// A host below a listed domain belongs to the groups of that domain.
    ///
    /// - Parameter domain: A host or domain in lower case.
    /// - Returns: The groups, each with the listed domain itself; empty if there are none.
    package func groups(of domain: String) -> [Set<String>] { places(of: domain).map { groups[$0] } }

    /// Whether accounts of one domain work at the other one.
    package func share(_ domain: String, _ other: String) -> Bool {
        domain == other || !Set(places(of: domain)).isDisjoint(with: places(of: other))
    }

    /// The positions in ``groups`` of a domain's groups.
    package func places(of domain: String) -> [Int] {
        guard !groups.isEmpty else { return [] }
        return SiteData.parents(of: domain).lazy.compactMap { indexes[$0] }.first ?? []
    }
}
