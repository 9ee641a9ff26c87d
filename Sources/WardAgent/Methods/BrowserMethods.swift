internal import Logging
internal import WardAgentClient
internal import WardWebAuthn

/// Connects browsers to the credential manager, and tells them its state and the settings of sites.
struct BrowserMethods: Sendable {
    let session: VaultSession
    let providers: Providers
    let pairings: BrowserPairings
    let sites: BrowserSites
    let version: String
    let logger: Logger

    /// The state, which a browser may know before it is connected.
    func state(_ browser: BrowserProgram) async -> BrowserState.Result {
        let isPaired = (try? pairings.check(browser.identity)) != nil
        return BrowserState.Result(
            isPaired: isPaired,
            hasVault: session.hasVault,
            isLocked: await session.isLocked,
            passkeysAreOn: providers.arePasskeysOn,
            version: version
        )
    }

    /// Asks the person, and connects the browser after a yes.
    ///
    /// - Throws: `AgentError` with `denied`, with `notPaired` if another extension of the browser is connected, or if the file with
    ///   the connected browsers cannot be read or written.
    func pair(_ browser: BrowserProgram) async throws -> Done {
        let identity = browser.identity
        guard try !pairings.read().contains(identity) else { return Done() }
        guard try !pairings.hasOtherExtension(identity) else { throw BrowserPairings.otherExtension(identity) }
        let question = Question(
            [
                .connectBrowser(browser: .label(identity.name)),
                .browserExtension(identifier: .label(identity.extensionID)),
            ],
            agree: .connect
        )
        try await session.asking.inTurn(.browser(browser)) { try await $0.confirm(question) }
        try pairings.add(identity)
        logger.notice(
            "a browser was connected",
            metadata: ["program": "\(identity.path.pathForPrompt)", "extension": "\(identity.extensionID)"]
        )
        return Done()
    }

    /// Unlocks the vault with a prompt.
    func unlock(_ browser: BrowserProgram) async throws -> Done {
        try pairings.check(browser.identity)
        _ = try await session.opened(Authorization(), .browser(browser), to: .fillIn)
        return Done()
    }

    func lock(_ browser: BrowserProgram) async throws -> Done {
        try pairings.check(browser.identity)
        await session.lockIfOpen()
        return Done()
    }

    /// Withdraws a request of the same connection.
    ///
    /// This works before the browser is connected too, because the request may be the one to connect it.
    func cancel(_ method: CancelBrowserRequest, _ browser: BrowserProgram) -> Done {
        browser.requests.cancel(method.request)
        return Done()
    }

    // MARK: Settings

    func settings(_ method: GetBrowserSettings, _ browser: BrowserProgram) throws -> GetBrowserSettings.Result {
        try pairings.check(browser.identity)
        let settings = try sites.read()
        let page = try method.sender.map { sender in try BrowserPage(sender) }
        return GetBrowserSettings.Result(
            site: page.map { settings[$0.site] },
            sites: settings.sites,
            upgrades: settings.upgrades
        )
    }

    /// Changes settings; the person clicked in the extension's own window.
    func change(_ method: ChangeBrowserSettings, _ browser: BrowserProgram) throws -> ChangeBrowserSettings.Result {
        try pairings.check(browser.identity)
        if let site = method.site {
            guard site.utf8.count <= 255, (try? WebOrigin("https://\(site)"))?.host.description == site else {
                throw AgentError(.invalidValue, "this is not a site")
            }
        }
        let settings = try sites.change { settings in
            guard let site = method.site else {
                if let upgrades = method.upgrades { settings.upgrades = upgrades }
                return
            }
            settings.change(site) { record in
                if let saves = method.saves { record.saves = saves }
                if let upgrades = method.upgrades { record.upgrades = upgrades }
                if let menu = method.menu { record.menu = menu }
            }
        }
        return ChangeBrowserSettings.Result(
            site: method.site.map { settings[$0] },
            sites: settings.sites,
            upgrades: settings.upgrades
        )
    }

    // MARK: For the person

    func list() throws(AgentError) -> ListBrowsers.Result {
        let settings = try sites.read()
        return ListBrowsers.Result(
            browsers: try pairings.read().map { BrowserRecord($0) },
            sites: settings.sites,
            upgrades: settings.upgrades
        )
    }

    func forget(_ method: ForgetBrowser, _ program: ManagerProgram) throws(AgentError) -> ListBrowsers.Result {
        let removed = try pairings.remove(method.browser)
        logger.notice("a browser was removed", metadata: ["by": "\(program.peer.description)"])
        return ListBrowsers.Result(browsers: removed.map { BrowserRecord($0) })
    }
}

extension BrowserRecord {
    fileprivate init(_ browser: BrowserIdentity) {
        self.init(name: browser.name, path: browser.path, extensionID: browser.extensionID)
    }
}
