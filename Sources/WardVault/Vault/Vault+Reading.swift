package import WardDomains
public import WardWebAuthn

extension Vault {
    /// An item with its secrets.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`, `damaged` or `locked`.
    public func item(_ id: ItemID) throws(VaultError) -> Item {
        let open = try open()
        return open.uses.shown(in: try open.item(id))
    }

    /// Several items with their secrets, in one step.
    ///
    /// Items that cannot be read are left out, and so are those that were removed in the meantime.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func items(_ ids: some Sequence<ItemID>) throws(VaultError) -> [Item] {
        let open = try open()
        return ids.compactMap { try? open.item($0) }.map { open.uses.shown(in: $0) }
    }

    /// The public suffix list of this vault.
    package nonisolated var suffixes: PublicSuffixList { environment.suffixes }

    /// The summary of an item, for lists.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`, `damaged` or `locked`.
    public func summary(_ id: ItemID) throws(VaultError) -> ItemSummary {
        let open = try open()
        if let summary = open.index.summary(id) { return open.uses.shown(in: summary) }
        return open.uses.shown(in: ItemSummary(try open.item(id)))
    }

    /// The items that contain all words of a query in their title, user names, sites or tags.
    ///
    /// Case and accents do not matter.
    ///
    /// The time is proportional to the number of items: a few milliseconds for ten thousand items. The first request with many
    /// results takes longer.
    ///
    /// - Parameters:
    ///   - query: Words between white space; none for all items.
    ///   - inTrash: Whether what is in the trash is looked through, instead of what is not.
    /// - Returns: The items by title, favourites first.
    /// - Throws: ``VaultError`` with `locked`.
    public func summaries(matching query: String = "", inTrash: Bool = false) throws(VaultError) -> [ItemSummary] {
        let open = try open()
        return open.uses.shown(in: open.index.summaries(containing: SearchText.words(query), inTrash: inTrash))
    }

    /// The items for a page, according to the ``Site/Match`` of each.
    ///
    /// Those of the same host are first.
    ///
    /// Items in the trash are left out.
    ///
    /// Items whose passkeys belong to the page's domain are found too.
    ///
    /// - Parameter address: The page's address, an origin, or a host alone.
    /// - Returns: The items; none for what is not an address.
    /// - Throws: ``VaultError`` with `locked`.
    public func summaries(at address: String) throws(VaultError) -> [ItemSummary] {
        let open = try open()
        guard let page = SiteAddress(address) else { return [] }
        let matcher = SiteMatcher(page: page, suffixes: environment.suffixes)
        let candidates = open.index.summaries(siteKey: matcher.domain)
            .filter { !$0.isInTrash }
            .compactMap { summary in matcher.rank(summary).map { (rank: $0, summary: summary) } }
        let byRank = Dictionary(grouping: candidates, by: \.rank)
        let found = byRank.keys.sorted().flatMap { SummaryList((byRank[$0] ?? []).map(\.summary)).summaries }
        return open.uses.shown(in: found)
    }

    /// The items for an app.
    ///
    /// Items in the trash are left out.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func summaries(for app: Site.Target) throws(VaultError) -> [ItemSummary] {
        let open = try open()
        if case .web(let address) = app { return try summaries(at: address) }
        guard let key = SiteKeys.key(Site(app), environment.suffixes) else { return [] }
        let found = open.index.summaries(siteKey: key).filter { summary in
            !summary.isInTrash && summary.sites.contains { $0.target == app && $0.match != .never }
        }
        return open.uses.shown(in: SummaryList(found).summaries)
    }

    /// The passkeys of a relying party, latest use first.
    ///
    /// Hidden ones are included only if requested.
    ///
    /// Items in the trash are left out.
    ///
    /// - Parameters:
    ///   - rpID: The RP ID, exactly.
    ///   - includingHidden: Whether passkeys are named that the site no longer knows.
    /// - Returns: Each passkey with the item it is in.
    /// - Throws: ``VaultError`` with `locked`.
    public func passkeys(
        for rpID: String,
        includingHidden: Bool = false
    ) throws(VaultError) -> [(item: ItemID, passkey: ItemSummary.Passkey)] {
        let open = try open()
        guard let address = SiteAddress(rpID) else { return [] }
        let key = address.registrableDomain(environment.suffixes)
        let found = open.index.summaries(siteKey: key).filter { !$0.isInTrash }.flatMap { summary in
            open.uses.shown(in: summary).passkeys
                .filter { $0.rpID == rpID && (includingHidden || !$0.isHidden) }
                .map { (item: summary.id, passkey: $0) }
        }
        return found.sorted { left, right in
            let (mine, other) = (
                left.passkey.lastUsedAt ?? left.passkey.createdAt, right.passkey.lastUsedAt ?? right.passkey.createdAt
            )
            return (mine, left.item) > (other, right.item)
        }
    }

    /// A passkey with its key, and the item that contains it.
    ///
    /// It is `nil` if no passkey has this credential ID, or if the item is in the trash.
    ///
    /// - Throws: ``VaultError`` with `damaged` or `locked`.
    public func passkey(credentialID: CredentialID) throws(VaultError) -> (item: ItemID, passkey: StoredPasskey)? {
        let open = try open()
        guard let summary = open.index.summary(credentialID: credentialID) else { return nil }
        let item = open.uses.shown(in: try open.item(summary.id))
        return item.passkeys.first { $0.credentialID == credentialID }.map { (item: item.id, passkey: $0) }
    }

    /// The item to which a new passkey is added.
    ///
    /// It has the same registrable domain and the same user name, in upper or lower case. Only if there is no such item, it can
    /// have a domain that shares its accounts with the RP ID.
    ///
    /// - Parameters:
    ///   - rpID: The RP ID.
    ///   - userName: The account's name as the site says.
    ///   - shared: Domains that share their accounts.
    /// - Returns: `nil` when there is no such login, or more than one.
    /// - Throws: ``VaultError`` with `locked`.
    public func home(
        forPasskeyOf rpID: String,
        userName: String,
        joining shared: SharedCredentials = .none
    ) throws(VaultError) -> ItemID? {
        var found = try summaries(at: rpID).filter { $0.isLogin(of: userName) }
        if found.isEmpty {
            var ids: Set<ItemID> = []
            for domain in Set(shared.groups(of: rpID).flatMap(\.self)).sorted() {
                let others = try summaries(at: domain).filter { $0.isLogin(of: userName) }
                found += others.filter { ids.insert($0.id).inserted }
            }
        }
        return found.count == 1 ? found.first?.id : nil
    }
}

extension ItemSummary {
    /// Whether this is a login of the account with a user name, in upper or lower case.
    package func isLogin(of userName: String) -> Bool {
        let wanted = SearchText.folded(userName)
        guard kind == .login, !wanted.isEmpty else { return false }
        return SearchText.folded(username) == wanted
            || passkeys.contains { SearchText.folded($0.userName) == wanted }
    }
}

/// Whether an item matches a page, and how closely.
struct SiteMatcher {
    let page: SiteAddress
    /// The page's registrable domain, for the search in the index.
    let domain: String
    let suffixes: PublicSuffixList

    init(page: SiteAddress, suffixes: PublicSuffixList) {
        self.page = page
        self.suffixes = suffixes
        domain = page.registrableDomain(suffixes)
    }

    /// The closeness: 0 for the same host, 1 for the same domain, and `nil` if the item does not match the page.
    func rank(_ summary: ItemSummary) -> Int? {
        let ranks = summary.sites.compactMap { rank($0) } + summary.passkeys.compactMap { rank(passkey: $0) }
        return ranks.min()
    }

    private func rank(_ site: Site) -> Int? {
        guard case .web(let text) = site.target, let address = SiteAddress(text) else { return nil }
        let isSameHost = address.host == page.host
        switch site.match {
        case .domain:
            return isSameHost ? 0 : address.registrableDomain(suffixes) == domain ? 1 : nil
        case .host: return isSameHost && address.port == page.port ? 0 : nil
        case .exact: return isSameHost && address.port == page.port && address.path == page.path ? 0 : nil
        default: return nil
        }
    }

    /// A passkey matches its RP ID and all hosts below it.
    private func rank(passkey: ItemSummary.Passkey) -> Int? {
        if passkey.rpID == page.host { return 0 }
        guard let address = SiteAddress(passkey.rpID) else { return nil }
        return address.registrableDomain(suffixes) == domain ? 1 : nil
    }
}
