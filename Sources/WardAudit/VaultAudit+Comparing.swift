internal import WardDomains
internal import WardVault
internal import WardWebAuthn

// What only the comparison of items shows.
extension VaultAudit {
    /// Finds passwords that accounts at different sites have.
    ///
    /// Sites that share their accounts count as one.
    mutating func findReused() {
        let byPassword = Dictionary(grouping: accounts.indices.filter { accounts[$0].password != nil }) {
            accounts[$0].password
        }
        let groups = byPassword.values.filter { $0.count > 1 && sites($0).count > 1 }
        number(groups, as: .reused)
    }

    /// Finds items of the same account: the same site and the same user name.
    mutating func findDuplicates() {
        let named = accounts.indices.filter { !accounts[$0].userName.isEmpty && !accounts[$0].keys.isEmpty }
        let byName = Dictionary(grouping: named) { accounts[$0].userName }
        number(byName.values.filter { $0.count > 1 }.flatMap { sites($0) }.filter { $0.count > 1 }, as: .duplicate)
    }

    /// Finds accounts without codes or passkeys at sites that offer them.
    ///
    /// A site offers what it says itself, what the data of sites says, and what another account of the vault has there.
    mutating func findMissing() {
        let withCodes = accounts.filter(\.hasCodes).reduce(into: Set<String>()) { $0.formUnion($1.keys) }
        let withPasskeys = accounts.filter(\.hasPasskeys).reduce(into: Set<String>()) { $0.formUnion($1.keys) }
        for account in accounts where account.password != nil && !account.hasPasskeys {
            let offer = account.hosts.compactMap(passkeyOffer).first
            if offer != nil || !withPasskeys.isDisjoint(with: account.keys) {
                note(.passkeyMissing, account) { $0.address = offer?.address }
            }
            guard !account.hasCodes else { continue }
            if !withCodes.isDisjoint(with: account.keys) || account.hosts.contains(where: data.offersCodes) {
                note(.codeMissing, account) { _ in }
            }
        }
    }

    /// What a site says of its passkeys, or what the data of sites says.
    private func passkeyOffer(of host: String) -> PasskeyOffer? {
        // An RP ID is the host or a domain above it.
        if let offer = SiteData.parents(of: host).lazy.compactMap({ offers[$0] }).first { return offer }
        guard data.offersPasskeys(host) else { return nil }
        return PasskeyOffer(domain: host, address: data.passkeyHelpAddress(of: host))
    }

    /// The domains that may say whether they offer passkeys: those of accounts that have a password and no passkey.
    ///
    /// Domains whose passkeys are known from the data of sites are left out, and accounts whose missing passkey the person
    /// ignores.
    package func domainsToAsk() -> [String] {
        var domains: Set<String> = []
        for account in accounts where account.password != nil && !account.hasPasskeys {
            guard !account.ignored.contains(.passkeyMissing) else { continue }
            for host in account.hosts where !data.offersPasskeys(host) {
                guard let name = try? DomainName(host), let site = suffixes.registrableDomain(of: name) else {
                    continue
                }
                domains.insert(site.description)
                if host != site.description, host != "www.\(site)" { domains.insert(host) }
            }
        }
        return domains.sorted()
    }

    /// Adds a finding for each account of each group, with the largest groups first.
    private mutating func number(_ groups: some Sequence<[Int]>, as kind: AuditFinding.Kind) {
        let ordered = groups.map { $0.sorted() }.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
        for (number, group) in ordered.enumerated() {
            for index in group {
                note(kind, accounts[index]) { finding in
                    finding.group = number + 1
                    finding.count = group.count
                }
            }
        }
    }

    /// Divides accounts by site: those that have a key in common are together.
    private func sites(_ indexes: [Int]) -> [[Int]] {
        // Each account points to an earlier one of the same part; the first one points to itself.
        var earlier = Array(indexes.indices)
        func first(_ position: Int) -> Int {
            var position = position
            while earlier[position] != position {
                earlier[position] = earlier[earlier[position]]
                position = earlier[position]
            }
            return position
        }
        var owners: [String: Int] = [:]
        for (position, index) in indexes.enumerated() {
            for key in accounts[index].keys {
                guard let owner = owners[key] else {
                    owners[key] = position
                    continue
                }
                let (one, other) = (first(owner), first(position))
                earlier[max(one, other)] = min(one, other)
            }
        }
        let parts = Dictionary(grouping: indexes.indices) { first($0) }
        return parts.values.map { part in part.map { indexes[$0] } }
    }
}
