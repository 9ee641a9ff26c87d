internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardCTAP
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Passkeys and passwords for the pages of a browser.
struct BrowserSignIn: Sendable {
    let pages: PageSignIn
    let pairings: BrowserPairings
    let memory: BrowserMemory
    let sites: BrowserSites
    let logger: Logger

    var parts: SignInParts { pages.parts }

    /// The maximum size of the options, in bytes.
    private static let maximumOptions = 64 << 10

    // MARK: Passkeys

    /// The passkeys that could answer a page's request.
    ///
    /// No prompt appears.
    func passkeys(_ method: ListPagePasskeys, _ browser: BrowserProgram) async throws -> ListPagePasskeys.Result {
        try pairings.check(browser.identity)
        return try await named {
            try pages.checkPasskeysAreOn()
            let page = try BrowserPage(method.sender)
            let wanted = try await assertion(method.options, page)
            let isLocked = await parts.isVaultLocked
            let listing = try await listing(
                ProviderQuery(domains: wanted.domains, kinds: [.passkey]),
                isLocked: isLocked
            )
            let names = try await displayNames(wanted.domains, isLocked: isLocked)
            var accounts: [ListPagePasskeys.Account] = []
            for entry in listing.entries.prefix(Self.mostEntries) where wanted.takes(entry) {
                accounts.append(
                    ListPagePasskeys.Account(
                        id: offer(entry, .passkeyAssertion, page, browser),
                        user: entry.user.cleanedForPrompt,
                        displayName: (entry.credentialID.flatMap { names[$0] } ?? "").cleanedForPrompt,
                        provider: listing.name(of: entry)
                    )
                )
            }
            return ListPagePasskeys.Result(isLocked: isLocked, accounts: accounts)
        }
    }

    /// Uses a passkey for a page.
    func use(_ method: UsePagePasskey, _ browser: BrowserProgram) async throws -> UsePagePasskey.Result {
        try pairings.check(browser.identity)
        return try await ceremony(method.sender, browser) { page in
            // In a conditional request the person picks an account in the extension's menu.
            guard method.mediation != .silent, method.mediation != .conditional || method.picked != nil else {
                throw ClientError.notAllowed(.notOffered)
            }
            let wanted = try await assertion(method.options, page)
            var request = request(wanted, page, browser, method.mediation)
            if let id = method.picked {
                let place = Recipient.page(page.place(in: browser))
                guard let offer = parts.memory.offer(id, to: place, at: page.origin.description),
                    offer.kind == .passkeyAssertion
                else { throw ClientError.notAllowed(.nothingFound) }
                request.suggestion = .offer(offer)
                request.isPresent = true
                request.asksAllProviders = true
            } else if case .page(let program) = request.requester {
                try await pages.lookEverywhere(&request, program)
            }
            return UsePagePasskey.Result(response: try await pages.response(to: request))
        }
    }

    /// Creates a passkey for a page.
    func create(_ method: CreatePagePasskey, _ browser: BrowserProgram) async throws -> CreatePagePasskey.Result {
        try pairings.check(browser.identity)
        return try await ceremony(method.sender, browser) { page in
            guard method.mediation != .silent else { throw ClientError.notAllowed(.notOffered) }
            let options = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: try json(method.options))
                .options
            let rpID = try await client.rpID(options.rp.id, for: page.caller)
            guard method.mediation != .conditional else {
                return try await RefusalTime.hidden {
                    CreatePagePasskey.Result(response: try await upgrade(options, rpID, page, browser))
                }
            }
            let wanted = SignInRequest.Wanted(index: 0, subject: .registration(options, nil), domains: [rpID])
            var request = request(wanted, page, browser, method.mediation)
            request.isPresent = method.agreed == true
            if case .page(let program) = request.requester { try await pages.lookEverywhere(&request, program) }
            return CreatePagePasskey.Result(response: try await pages.response(to: request))
        }
    }

    /// Handles a page's signal.
    ///
    /// Apart from the check of the RP ID, which needs no vault, the answer is the same in every case.
    ///
    /// - Throws: `ClientError` with `SecurityError` if the page may not use the RP ID.
    func signal(_ method: SignalFromPage, _ browser: BrowserProgram) async throws -> Done {
        try pairings.check(browser.identity)
        do {
            guard method.kind != .unusedPassword else { return Done() }
            let signalled = SignalFromApp(
                method.kind,
                options: String(decoding: try json(method.options), as: UTF8.self)
            )
            let signal = try AppSignal(signalled)
            let page = try BrowserPage(method.sender)
            guard try await client.rpID(signal.domain, for: page.caller) == signal.domain else { return Done() }
            for provider in parts.providers.others { Task { try? await provider.take(signalled) } }
            if let vault = await parts.session.current, await !vault.isLocked { try await signal.apply(to: vault) }
        } catch let error as ClientError where error.code == .security {
            throw error
        } catch {
            logger.debug("a signal was not kept", metadata: ["error": "\(AgentError(reporting: error))"])
        }
        return Done()
    }

    // MARK: Parts

    /// A page may use a related origin.
    private var client: ClientConfiguration { ClientConfiguration(relatedOrigins: .http) }

    private func json(_ options: String) throws(ClientError) -> [UInt8] {
        guard options.utf8.count <= Self.maximumOptions else {
            throw ClientError(.type, "the options are longer than 64 KiB")
        }
        return Array(options.utf8)
    }

    /// The request for a passkey, for exactly the RP ID that the page may use.
    private func assertion(_ options: String, _ page: BrowserPage) async throws -> SignInRequest.Wanted {
        var options = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: try json(options)).options
        let rpID = try await client.rpID(options.rpID, for: page.caller)
        options.rpID = rpID
        return SignInRequest.Wanted(index: 0, subject: .assertion(options), domains: [rpID])
    }

    func request(
        _ wanted: SignInRequest.Wanted,
        _ page: BrowserPage,
        _ browser: BrowserProgram,
        _ mediation: Mediation? = nil
    ) -> SignInRequest {
        var caller = page.caller
        caller.program = CeremonyContext.Caller(name: browser.identity.name, processID: browser.process.pid)
        var program = PageProgram(caller: caller, peer: browser.peer, place: PromptPlace())
        program.shown = .init(browser: browser, place: page.place(in: browser), origin: page.origin.description)
        var request = SignInRequest(requester: .page(program), requests: [wanted])
        request.mediation = mediation.map { .init(rawValue: $0.rawValue) }
        return request
    }

    /// Runs a ceremony of a page.
    private func ceremony<T: Sendable>(
        _ sender: BrowserSender,
        _ browser: BrowserProgram,
        _ body: (BrowserPage) async throws -> T
    ) async throws -> T {
        try await browser.requests.ceremony(in: sender.tab) {
            try await named {
                try pages.checkPasskeysAreOn()
                let page = try BrowserPage(sender)
                return try await parts.session.working { try await body(page) }
            }
        }
    }

    /// Gives a failed ceremony the name of the exception for the page.
    private func named<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as WebAuthnError {
            throw ClientError(.type, "the options are malformed: \(error)")
        } catch is PromptRefusal {
            throw ClientError.notAllowed(.denied)
        } catch is CancellationError {
            throw ClientError(.abort, "the request was withdrawn", .cancelled)
        } catch let error as AgentError where error.code == .denied || error.code == .nothingAvailable {
            throw ClientError.notAllowed(.denied)
        }
    }

    // MARK: Entries

    static let mostEntries = 100

    func listing(_ query: ProviderQuery, isLocked: Bool) async throws -> ProviderListing {
        var providers: [any CredentialProvider] = parts.providers.others
        if !isLocked, parts.hasVault {
            let vault = try await parts.session.file()
            providers.insert(parts.session.provider(of: vault), at: 0)
        }
        return try await parts.providers.entries(query, of: providers, until: parts.providers.connections.joining)
    }

    /// Remembers an entry for a page.
    ///
    /// - Returns: A random ID.
    func offer(
        _ entry: ProviderEntry,
        _ kind: AppRequest.Kind,
        _ page: BrowserPage,
        _ browser: BrowserProgram
    ) -> String {
        let id = Base64URL.encode(parts.session.effects.randomBytes(16))
        var offer = SignInMemory.Offer(
            recipient: .page(page.place(in: browser)),
            entry: entry,
            kind: kind,
            domain: entry.domain
        )
        offer.origin = page.origin.description
        parts.memory.remember(offer, as: id)
        return id
    }

    /// The names for display of the vault's passkeys.
    private func displayNames(_ domains: [String], isLocked: Bool) async throws -> [CredentialID: String] {
        guard !isLocked, parts.hasVault else { return [:] }
        let vault = try await parts.session.file()
        var names: [CredentialID: String] = [:]
        for domain in domains {
            for found in try await vault.passkeys(for: domain, includingHidden: true) {
                names[found.passkey.credentialID] = found.passkey.userDisplayName
            }
        }
        return names
    }
}

extension ProviderListing {
    /// The name of the manager that has an entry.
    func name(of entry: ProviderEntry) -> String {
        (providers[entry.provider]?.name ?? entry.provider).cleanedForPrompt
    }
}
