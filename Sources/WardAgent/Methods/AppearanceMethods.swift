internal import WardAgentClient
internal import WardDomains
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Keeps the names and icons of sites, which the person let `ward icons` fetch.
struct AppearanceMethods: Sendable {
    let session: VaultSession

    func list(
        _ method: ListSitesWithoutAppearance,
        _ program: ManagerProgram
    ) async throws -> ListSitesWithoutAppearance.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listItems)
            let old = session.effects.now() - SiteAppearance.staleAfter
            var domains: Set<String> = []
            for summary in try await summaries(method.items, in: vault) {
                let isKnown = summary.appearanceFetchedAt.map { $0 > old } ?? false
                guard method.isAgain || !isKnown, let domain = summary.mainDomain(vault.suffixes) else { continue }
                domains.insert(domain)
            }
            return ListSitesWithoutAppearance.Result(domains: domains.sorted())
        }
    }

    func keep(_ method: KeepSiteAppearances, _ program: ManagerProgram) async throws -> ChangedAppearances {
        guard method.sites.count <= KeepSiteAppearances.maximumSites else {
            throw AgentError(.invalidValue, "At most \(KeepSiteAppearances.maximumSites) sites can be kept at once")
        }
        let now = session.effects.now()
        var appearances: [String: SiteAppearance] = [:]
        for site in method.sites {
            guard let icon = site.icon.map({ Base64URL.decode($0) }) ?? [],
                let appearance = SiteAppearance(name: site.name, icon: icon, fetchedAt: now)
            else { throw AgentError(.invalidValue, "The name or the icon of \(site.domain) cannot be kept") }
            appearances[site.domain] = appearance
        }
        let found = appearances
        return try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            var changes: [ItemID: SiteAppearance?] = [:]
            for summary in try await vault.summaries() {
                guard let domain = summary.mainDomain(vault.suffixes), let new = found[domain] else { continue }
                changes[summary.id] = new
            }
            return try await change(changes, in: vault)
        }
    }

    func clear(_ method: RemoveSiteAppearances, _ program: ManagerProgram) async throws -> ChangedAppearances {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            var changes: [ItemID: SiteAppearance?] = [:]
            for summary in try await summaries(method.items, in: vault) where summary.appearanceFetchedAt != nil {
                changes[summary.id] = .some(nil)
            }
            return try await change(changes, in: vault)
        }
    }

    /// Sets names and icons in one transaction.
    ///
    /// An item that cannot be read stays as it is.
    private func change(_ changes: [ItemID: SiteAppearance?], in vault: Vault) async throws -> ChangedAppearances {
        let count = try await vault.write { transaction in
            var count = 0
            for (id, appearance) in changes {
                guard var item = try? transaction.item(id), item.setAppearance(appearance) else { continue }
                try transaction.replace(item, change: .appearance)
                count += 1
            }
            return count
        }
        return ChangedAppearances(items: count)
    }

    private func summaries(_ items: [String], in vault: Vault) async throws -> [ItemSummary] {
        guard !items.isEmpty else { return try await vault.summaries() }
        let search = ItemSearch(vault: vault)
        var found: [ItemSummary] = []
        for text in items { found.append(try await vault.summary(try await search.find(text).id)) }
        return found
    }
}

extension ItemSummary {
    /// The registrable domain of the first site, or of the first passkey.
    ///
    /// An address of a private network has none.
    fileprivate func mainDomain(_ suffixes: PublicSuffixList) -> String? {
        for host in sites.compactMap(\.host) + passkeys.map(\.rpID) {
            guard let name = try? DomainName(host), let domain = suffixes.registrableDomain(of: name) else { continue }
            return domain.description
        }
        return nil
    }
}
