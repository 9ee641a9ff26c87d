internal import WardAgentClient
internal import WardDomains
internal import WardVault
internal import WardWebAuthn

extension BrowserSignIn {
    /// What can be filled into a page.
    ///
    /// No prompt appears, and no secret is returned. A frame gets nothing if a page around it is of another site.
    func entries(_ method: ListPageEntries, _ browser: BrowserProgram) async throws -> ListPageEntries.Result {
        try pairings.check(browser.identity)
        let page = try BrowserPage(method.sender)
        let isLocked = await parts.isVaultLocked
        guard page.isOfOneSite else {
            return ListPageEntries.Result(isLocked: isLocked, entries: [])
        }
        let menuIsOff = try !sites.read()[page.site].menu
        var found = isLocked ? [] : try await ownEntries(page)
        let kinds: Set<ProviderEntry.Kind> = [.passkey, .password, .oneTimeCode]
        let others = try await listing(ProviderQuery(domains: page.domains, kinds: kinds), isLocked: true)
        found += others.entries.map { Entry(entry: $0, title: "", provider: others.name(of: $0)) }
        if parts.providers.settings.arePasskeysOff { found.removeAll { $0.entry.kind == .passkey } }
        return ListPageEntries.Result(
            isLocked: isLocked,
            entries: found.prefix(Self.mostEntries).map { found in
                var entry = ListPageEntries.Entry(
                    id: offer(found.entry, found.entry.kind.requestKind, page, browser),
                    kind: found.entry.kind.rawValue,
                    user: found.entry.user.cleanedForPrompt,
                    domain: found.entry.domain,
                    title: found.title.cleanedForPrompt,
                    provider: found.provider
                )
                entry.isDraft = found.isDraft
                return entry
            },
            menuIsOff: menuIsOff
        )
    }

    /// Releases a password or a code, and records a password for an automatic upgrade.
    ///
    /// The person picked the entry in the extension's menu, and connected the browser for that.
    func fill(_ method: FillPage, _ browser: BrowserProgram) async throws -> FillPage.Result {
        try pairings.check(browser.identity)
        let page = try BrowserPage(method.sender)
        let place = Recipient.page(page.place(in: browser))
        guard let offer = parts.memory.offer(method.entry, to: place, at: page.origin.description),
            let entry = offer.entry, offer.kind != .passkeyAssertion, page.isOfOneSite
        else {
            throw AgentError(
                .itemMissing,
                "the entry is too old, or was offered to another page: list the entries again"
            )
        }
        return try await parts.session.working {
            var vault: Vault?
            if entry.provider == VaultProvider.identifier {
                let own = try await parts.session.file()
                guard await !own.isLocked else {
                    throw AgentError(.locked, "the vault is locked. To open it: ward unlock")
                }
                vault = own
            }
            let subject: SignInRequest.Wanted.Subject = entry.kind == .password ? .password : .oneTimeCode
            let wanted = SignInRequest.Wanted(index: 0, subject: subject, domains: [entry.domain])
            let runner = SignInRunner(parts: parts, request: request(wanted, page, browser))
            let choice = SignInFlow.Choice(request: 0, entry: entry)
            let released = try await runner.release(choice, isConfirmed: true, vault: vault)
            var result = FillPage.Result(user: released.user, password: released.password, code: released.code)
            if released.code != nil, let vault { await addTime(to: &result, of: entry, in: vault) }
            return result
        }
    }

    /// Forgets what was released to a page: the person signs in with something else.
    func changed(_ method: ChangeFilledPage, _ browser: BrowserProgram) throws -> Done {
        try pairings.check(browser.identity)
        parts.handedOut.forget(.page(try BrowserPage(method.sender).place(in: browser)))
        return Done()
    }

    private struct Entry {
        var entry: ProviderEntry
        var title: String
        var provider: String
        var isDraft = false
    }

    /// The vault's entries for a page.
    private func ownEntries(_ page: BrowserPage) async throws -> [Entry] {
        guard parts.hasVault else { return [] }
        let vault = try await parts.session.file()
        let host = page.origin.host.description
        var found: [Entry] = []
        let passkeys = ProviderQuery(domains: page.domains, kinds: [.passkey])
        for entry in try await parts.session.provider(of: vault).entries(passkeys).entries
        where !entry.isHidden {
            found.append(Entry(entry: entry, title: "", provider: VaultProvider.name))
        }
        for summary in try await vault.summaries(ofPageAt: host) {
            for entry in summary.entries(host) {
                found.append(
                    Entry(
                        entry: entry,
                        title: summary.title,
                        provider: VaultProvider.name,
                        isDraft: summary.isDraft && entry.kind == .password
                    )
                )
            }
        }
        return found
    }
}

extension BrowserPage {
    /// The domains whose entries a page may see: its host, and the domains above it up to the registrable domain.
    var domains: [String] {
        var domains = [origin.host.description]
        guard let site = PublicSuffixList.system.registrableDomain(of: origin.host)?.description else { return domains }
        while let last = domains.last, last != site, domains.count < 8, let dot = last.firstIndex(of: ".") {
            domains.append(String(last[last.index(after: dot)...]))
        }
        return domains
    }
}

extension ProviderEntry.Kind {
    /// The kind of request that an entry of this kind answers.
    fileprivate var requestKind: AppRequest.Kind {
        switch self {
        case .passkey: .passkeyAssertion
        case .password: .password
        case .oneTimeCode: .oneTimeCode
        }
    }
}
