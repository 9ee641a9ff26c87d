internal import WardAgentClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

extension BrowserSignIn {
    /// The maximum number of entries that a search finds.
    private static let mostFound = 30
    /// The maximum length of a query, in bytes.
    private static let longestQuery = 256

    /// The passwords and codes of Ward's own vault that match words.
    ///
    /// No prompt appears, and no secret is returned. The person typed the words into the extension's own window.
    func search(_ method: SearchForBrowser, _ browser: BrowserProgram) async throws -> ListPageEntries.Result {
        try pairings.check(browser.identity)
        guard method.query.utf8.count <= Self.longestQuery else {
            throw AgentError(.invalidValue, "the query has more than \(Self.longestQuery) bytes")
        }
        guard parts.hasVault, await !parts.isVaultLocked else {
            return ListPageEntries.Result(isLocked: await parts.isVaultLocked, entries: [])
        }
        let vault = try await parts.session.file()
        var entries: [ListPageEntries.Entry] = []
        for summary in try await vault.summaries(matching: method.query) where entries.count < Self.mostFound {
            let domain = summary.sites.lazy.compactMap(\.host).first ?? ""
            for entry in summary.entries(domain) {
                let id = Base64URL.encode(parts.session.effects.randomBytes(16))
                parts.memory.remember(
                    SignInMemory.Offer(
                        recipient: .page(browser.ownPlace),
                        entry: entry,
                        kind: entry.kind == .password ? .password : .oneTimeCode,
                        domain: domain
                    ),
                    as: id
                )
                var listed = ListPageEntries.Entry(
                    id: id,
                    kind: entry.kind.rawValue,
                    user: summary.username.cleanedForPrompt,
                    domain: domain,
                    title: summary.title.cleanedForPrompt,
                    provider: VaultProvider.name
                )
                await addAppearance(to: &listed, of: summary, in: vault)
                entries.append(listed)
            }
        }
        return ListPageEntries.Result(isLocked: false, entries: entries)
    }

    /// Releases an entry that a search found.
    ///
    /// The entry belongs to no page that the browser shows, so the agent asks the person itself.
    func reveal(_ method: RevealForBrowser, _ browser: BrowserProgram) async throws -> FillPage.Result {
        try pairings.check(browser.identity)
        guard let entry = parts.memory.offer(method.entry, to: .page(browser.ownPlace))?.entry,
            let item = ItemID(text: entry.reference)
        else { throw AgentError(.itemMissing, "the entry is too old: search again") }
        return try await parts.session.working {
            let vault = try await parts.session.opened(Authorization(), .browser(browser), to: .fillIn)
            let title = try await vault.summary(item).title
            let question = Question(
                [.copyInBrowser(browser: .label(browser.identity.name), item: .label(title))],
                agree: .agree
            )
            try await parts.asking.inTurn(.browser(browser)) { try await $0.confirm(question) }
            let provider = parts.session.provider(of: vault)
            guard entry.kind == .oneTimeCode else {
                let found = try await provider.password(entry, for: browser.identity.name)
                return FillPage.Result(user: found.user, password: found.password)
            }
            var result = FillPage.Result(code: try await provider.code(entry, for: browser.identity.name))
            await addTime(to: &result, of: entry, in: vault)
            return result
        }
    }

    /// Adds the name and the icon of the site, if the vault has them.
    private func addAppearance(
        to entry: inout ListPageEntries.Entry,
        of summary: ItemSummary,
        in vault: Vault
    ) async {
        guard summary.appearanceFetchedAt != nil, let appearance = try? await vault.item(summary.id).appearance
        else { return }
        if !appearance.name.isEmpty { entry.siteName = appearance.name.cleanedForPrompt }
        if !appearance.icon.isEmpty { entry.icon = Base64.encode(appearance.icon) }
    }

    /// Adds how long a code of the vault is valid.
    func addTime(to result: inout FillPage.Result, of entry: ProviderEntry, in vault: Vault) async {
        guard let id = ItemID(text: entry.reference),
            let code = try? await vault.item(id).codes.first, code.period != nil
        else { return }
        let now = code.code(at: parts.session.effects.now())
        (result.secondsLeft, result.period) = (now.secondsLeft, now.period)
    }
}

extension BrowserProgram {
    /// The browser's own windows, beside all tabs.
    fileprivate var ownPlace: BrowserPlace { BrowserPlace(browser: identity, process: process, tab: -1, frame: -1) }
}
