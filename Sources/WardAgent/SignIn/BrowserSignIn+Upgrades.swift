internal import WardAgentClient
internal import WardClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

extension BrowserSignIn {
    /// Creates a passkey without a prompt, if ``fill(_:_:)`` gave the account's password to this tab in the last minutes.
    func upgrade(
        _ options: PublicKeyCredentialCreationOptions,
        _ rpID: String,
        _ page: BrowserPage,
        _ browser: BrowserProgram
    ) async throws -> String {
        guard page.isTop, !page.isPrivate, page.isSameSite(as: rpID),
            (try? sites.read())?.permitsUpgrades(at: page.site) ?? false
        else { throw ClientError.notAllowed(.notOffered) }
        let wanted = SignInRequest.Wanted(index: 0, subject: .upgrade(options), domains: [rpID])
        var request = request(wanted, page, browser, .conditional)
        request.undo = { credentialID in
            let made = memory.upgrades(of: browser.identity).first { $0.upgrade.credentialID == credentialID }
            guard let made else { return }
            try await undo(made.upgrade, made.id, browser)
        }
        let response = try await pages.response(to: request)
        await note(response, rpID, options.user.name, page, browser)
        return response
    }

    /// The passkeys of this vault that were created without a prompt.
    func upgrades(_ browser: BrowserProgram) throws -> ListPageUpgrades.Result {
        try pairings.check(browser.identity)
        return ListPageUpgrades.Result(
            upgrades: memory.upgrades(of: browser.identity).map { id, upgrade in
                .init(id: id, site: upgrade.rpID, user: upgrade.user)
            }
        )
    }

    /// Removes a passkey that was created without a prompt, and permits no other one at its site.
    ///
    /// The site does not learn that. The item's history still has the passkey.
    func undo(_ method: UndoPageUpgrade, _ browser: BrowserProgram) async throws -> Done {
        try pairings.check(browser.identity)
        guard let upgrade = memory.upgrades(of: browser.identity).first(where: { $0.id == method.upgrade })?.upgrade
        else { throw AgentError(.itemMissing, "this passkey is not in the list: list the passkeys again") }
        try await undo(upgrade, method.upgrade, browser)
        return Done()
    }

    private func undo(_ upgrade: BrowserMemory.Upgrade, _ id: String, _ browser: BrowserProgram) async throws {
        try await parts.removePasskey(upgrade.credentialID, .browser(browser))
        try sites.change { $0.change(upgrade.site) { $0.upgrades = false } }
        memory.forgetUpgrade(id)
    }

    /// Remembers a new passkey of this vault, so that the person can undo it.
    private func note(
        _ response: String,
        _ rpID: String,
        _ user: String,
        _ page: BrowserPage,
        _ browser: BrowserProgram
    ) async {
        guard let value = try? JSONValue(Array(response.utf8)), let members = try? JSONMembers(value, in: "response"),
            let bytes = try? members.bytes("rawId"), let id = CredentialID(bytes),
            let vault = await parts.session.current, (try? await vault.passkey(credentialID: id)) != nil
        else { return }
        let upgrade = BrowserMemory.Upgrade(
            browser: browser.identity,
            credentialID: id,
            rpID: rpID,
            site: page.site,
            user: user.cleanedForPrompt
        )
        memory.note(upgrade, as: Base64URL.encode(parts.session.effects.randomBytes(16)))
    }
}
