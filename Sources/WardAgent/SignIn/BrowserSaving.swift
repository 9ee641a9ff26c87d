internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Passwords for pages: generates them, and saves those that the person typed.
///
/// Nothing is shown in a page. The person agrees in the extension's own window.
struct BrowserSaving: Sendable {
    let parts: SignInParts
    let pairings: BrowserPairings
    let memory: BrowserMemory
    let sites: BrowserSites
    let logger: Logger

    /// The tag of a password that was generated, and not saved by the person yet.
    static let draftTag = "draft"
    /// The maximum length of a user name or password, in bytes.
    private static let maximumLength = 4096
    /// The shortest password that is suggested.
    private static let shortest = 8

    // MARK: Suggesting

    /// Generates a password by the field's rules, and keeps it as a draft, so that it cannot be lost with the page.
    ///
    /// The person clicked the suggestion in the extension's menu. If the vault is locked, a prompt unlocks it. For a private window
    /// nothing is kept.
    ///
    /// - Throws: `AgentError` with `invalidValue` if the rules permit no strong password, and `denied`.
    func suggest(_ method: SuggestForPage, _ browser: BrowserProgram) async throws -> SuggestForPage.Result {
        let page = try page(method.sender, browser)
        let password = try Self.password(method)
        guard !page.isPrivate, parts.hasVault else {
            return SuggestForPage.Result(password: password, isDraft: false)
        }
        guard (method.user ?? "").utf8.count <= Self.maximumLength else { throw Self.tooLong }
        return try await parts.session.working {
            let vault = try await parts.session.opened(Authorization(), .browser(browser), to: .keepPassword)
            try await keepDraft(SecretText(password), method.user ?? "", page, vault)
            return SuggestForPage.Result(password: password, isDraft: true)
        }
    }

    private static func password(_ method: SuggestForPage) throws(AgentError) -> String {
        guard (method.rules ?? "").utf8.count <= PasswordRules.maximumText else {
            throw AgentError(.invalidValue, "the rules have more than \(PasswordRules.maximumText) bytes")
        }
        // A mistake in the rules must not keep the person from a password, but the field's length counts.
        for text in [method.rules ?? "", ""] {
            var rules = PasswordRules.reading(text).rules
            if let least = method.minimumLength, least > 0 { rules.minimumLength = max(rules.minimumLength, least) }
            if let most = method.maximumLength, most > 0 {
                rules.maximumLength = min(rules.maximumLength ?? .max, most)
            }
            guard rules.maximumLength ?? .max >= shortest else { continue }
            if let made = try? RandomPassword.make(rules), made.text.utf8.count >= shortest { return made.text }
        }
        throw AgentError(.invalidValue, "the field permits no strong password")
    }

    /// A site has one draft.
    ///
    /// Earlier suggestions stay in its history.
    private func keepDraft(_ password: SecretText, _ user: String, _ page: BrowserPage, _ vault: Vault) async throws {
        let now = parts.session.effects.now()
        let user = user.cleanedForPrompt
        let host = page.origin.host.description
        if let draft = try await vault.summaries(ofPageAt: host).first(where: \.isDraft) {
            try await vault.write { transaction in
                try transaction.update(draft.id) { item in
                    item.set(password, at: now)
                    if !user.isEmpty { item.username = user }
                }
            }
            return
        }
        let item = Item(
            .login,
            title: host,
            sites: [Site(page.origin.description)],
            username: user,
            password: Password(password, changedAt: now),
            tags: [Self.draftTag]
        )
        try await vault.write { try $0.add(item) }
    }

    // MARK: Typed passwords

    /// Takes over a password that the person typed, and says what saving it would do.
    ///
    /// - Throws: `AgentError` with `denied` for a private window and a frame of another origin.
    func capture(_ method: CapturePassword, _ browser: BrowserProgram) async throws -> CapturedPassword {
        let page = try page(method.sender, browser)
        guard !page.isPrivate else { throw AgentError(.denied, "nothing is saved from private windows") }
        guard !method.password.isEmpty, method.password.utf8.count <= Self.maximumLength,
            method.user.utf8.count <= Self.maximumLength, (method.current ?? "").utf8.count <= Self.maximumLength
        else { throw Self.tooLong }
        let capture = BrowserMemory.Capture(
            place: page.place(in: browser),
            origin: page.origin.description,
            host: page.origin.host.description,
            site: page.site,
            user: method.user.cleanedForPrompt,
            password: SecretText(method.password),
            current: method.current.flatMap { $0.isEmpty ? nil : SecretText($0) }
        )
        var result = try await result(capture).answer
        switch result.outcome {
        case .same, .never, .unavailable: break
        case .new, .update, .locked:
            let id = Base64URL.encode(parts.session.effects.randomBytes(16))
            memory.keep(capture, as: id)
            result.id = id
        }
        return result
    }

    /// What saving a captured password would do now.
    ///
    /// - Throws: `AgentError` with `itemMissing` if the password is forgotten, and `denied` if the tab shows another site.
    func check(_ method: CheckCapture, _ browser: BrowserProgram) async throws -> CapturedPassword {
        let page = try page(method.sender, browser)
        let capture = try captured(method.capture, browser)
        guard page.tab == capture.place.tab, page.isTop, page.site == capture.site else {
            throw AgentError(.denied, "the tab shows another site")
        }
        var result = try await result(capture).answer
        if result.outcome == .same || result.outcome == .never {
            memory.forget(method.capture)
        } else {
            result.id = method.capture
        }
        return result
    }

    /// Saves a captured password; the person agreed in the extension's own window.
    ///
    /// A former password stays in the item's history. If the vault is locked, a prompt unlocks it first.
    ///
    /// - Throws: `AgentError` with `itemMissing` if the password is forgotten, and `denied`.
    func save(_ method: SaveCapture, _ browser: BrowserProgram) async throws -> CapturedPassword {
        try pairings.check(browser.identity)
        var capture = try captured(method.capture, browser)
        guard parts.hasVault else { throw AgentError(.nothingAvailable, "there is no vault to save it in: ward init") }
        if let user = method.user {
            guard user.utf8.count <= Self.maximumLength else { throw Self.tooLong }
            capture.user = user.cleanedForPrompt
        }
        let (wanted, now) = (capture, parts.session.effects.now())
        return try await parts.session.working {
            let vault = try await parts.session.opened(Authorization(), .browser(browser), to: .keepPassword)
            let (answer, target) = try await result(wanted)
            if answer.outcome != .same {
                try await vault.write { transaction in
                    guard let home = target.item ?? target.draft else {
                        let item = Item(
                            .login,
                            title: wanted.host,
                            sites: [Site(wanted.origin)],
                            username: wanted.user,
                            password: Password(wanted.password, changedAt: now)
                        )
                        try transaction.add(item)
                        return
                    }
                    try transaction.update(home) { item in
                        item.set(wanted.password, at: now)
                        if item.username.isEmpty || home == target.draft { item.username = wanted.user }
                        item.tags.removeAll { $0 == Self.draftTag || $0 == AppSignal.unusedPasswordTag }
                    }
                    if let draft = target.draft, draft != home { try transaction.trash(draft) }
                }
                logger.info("a password was saved from a page")
            }
            memory.forget(method.capture)
            return answer
        }
    }

    func discard(_ method: DiscardCapture, _ browser: BrowserProgram) throws -> Done {
        try pairings.check(browser.identity)
        if memory.capture(method.capture, of: browser) != nil { memory.forget(method.capture) }
        return Done()
    }

    // MARK: One entry for one account

    /// The items that saving changes.
    private struct Target {
        /// The item of the account.
        var item: ItemID?
        /// The draft that has this password, or had it before.
        var draft: ItemID?
    }

    private func result(_ capture: BrowserMemory.Capture) async throws -> (answer: CapturedPassword, target: Target) {
        var answer = CapturedPassword(.new, site: capture.site, user: capture.user)
        guard try sites.read()[capture.site].saves else {
            answer.outcome = .never
            return (answer, Target())
        }
        guard parts.hasVault else {
            answer.outcome = .unavailable
            return (answer, Target())
        }
        let vault = try await parts.session.file()
        guard await !vault.isLocked else {
            answer.outcome = .locked
            return (answer, Target())
        }
        let found = try await vault.summaries(ofPageAt: capture.host).filter { $0.kind == .login }
        var target = Target()
        for draft in found where draft.isDraft {
            guard let password = try await vault.item(draft.id).password else { continue }
            let passwords = [password.value] + password.history.map(\.value)
            if passwords.contains(capture.password) { target.draft = draft.id }
        }
        guard let (account, password) = try await account(capture, found.filter { !$0.isDraft }, vault) else {
            return (answer, target)
        }
        target.item = account.id
        answer.title = account.title.cleanedForPrompt
        if answer.user.isEmpty { answer.user = account.username.cleanedForPrompt }
        answer.outcome = password == capture.password ? .same : .update
        answer.replaces = !(password?.isEmpty ?? true) && answer.outcome == .update
        return (answer, target)
    }

    /// The item of the account, and its password.
    private func account(
        _ capture: BrowserMemory.Capture,
        _ logins: [ItemSummary],
        _ vault: Vault
    ) async throws -> (ItemSummary, SecretText?)? {
        var candidates: [(summary: ItemSummary, password: SecretText?)] = []
        for login in logins where capture.user.isEmpty ? login.hasPassword : login.isLogin(of: capture.user) {
            candidates.append((login, try await vault.item(login.id).password?.value))
        }
        if let kept = candidates.first(where: { $0.password == capture.password }) { return kept }
        if let current = capture.current, let changed = candidates.first(where: { $0.password == current }) {
            return changed
        }
        guard capture.user.isEmpty else { return candidates.first { $0.summary.hasPassword } ?? candidates.first }
        // Without a name, only a single login can be meant.
        return candidates.count == 1 ? candidates.first : nil
    }

    // MARK: Parts

    private func page(_ sender: BrowserSender, _ browser: BrowserProgram) throws -> BrowserPage {
        try pairings.check(browser.identity)
        let page = try BrowserPage(sender)
        guard page.caller.isSameOriginWithAncestors else {
            throw AgentError(.denied, "a frame of another site gets no passwords, and none are saved from it")
        }
        return page
    }

    private func captured(_ id: String, _ browser: BrowserProgram) throws(AgentError) -> BrowserMemory.Capture {
        guard let capture = memory.capture(id, of: browser) else {
            throw AgentError(.itemMissing, "the password is too old to be saved: type it again")
        }
        return capture
    }

    private static let tooLong = AgentError(
        .invalidValue,
        "a password must have 1 to \(maximumLength) bytes; a user name can have \(maximumLength) bytes at most"
    )
}

extension BrowserPage {
    /// The registrable domain, or the host if it has none.
    var site: String { domains.last ?? origin.host.description }
}

extension ItemSummary {
    /// Whether the item has a generated password that the person did not save yet.
    var isDraft: Bool { tags.contains(BrowserSaving.draftTag) && kind == .login }
}

extension Item {
    /// Sets the password, and moves the former one to the history.
    fileprivate mutating func set(_ value: SecretText, at time: Int64) {
        if password == nil {
            password = Password(value, changedAt: time)
        } else {
            password?.change(to: value, at: time)
        }
    }
}
