internal import Logging
internal import WardAgentClient
internal import WardAuthenticator
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

/// Asks the person before a passkey is made or used, through the agent's prompts.
///
/// A passphrase that came with the request answers instead, after it was checked. Verification is what really happened: the
/// passphrase was typed, or brought, for this very ceremony.
struct PromptingConsent: UserConsent {
    /// What an app's sheet settled before a ceremony began.
    struct Sheet: Sendable {
        /// Who asks, for the end of a prompt.
        var introduction: String
        /// What the app calls itself, which is all that another manager is told of it.
        var appName: String
        /// The manager that has the passkey, or will.
        var manager: String
        /// Whether the person picked among several, so that nothing is left to ask but who they are.
        var isConfirmed: Bool
        /// The password whose account may get a passkey without a question.
        var upgrade: HandedOutPassword?
    }

    let asking: Asking
    /// Whose passphrase verifies a person; without a vault nobody can be.
    let vault: Vault?
    let authorization: Authorization
    let requester: Requester
    let trouble: PromptTrouble
    var sheet: Sheet?

    /// What another manager is told of whoever asks.
    var appName: String { sheet?.appName ?? "" }

    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        do {
            if let text = authorization.passphrase { return try await answered(request, passphrase: text) }
            guard authorization.mayPrompt else { return .refused }
            return try await asking.inTurn(requester) { try await prompted(request) }
        } catch is CancellationError {
            return .cancelled
        } catch let error as AgentError where error.code == .denied {
            return .refused
        } catch {
            let error = AgentError(reporting: error)
            trouble.note(error)
            asking.logger.warning("nobody could be asked", metadata: ["error": "\(error)"])
            return .refused
        }
    }

    /// Whether the app was handed the account's password moments ago, so that the person just signed in with it.
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool {
        guard case .makePasskey(let account, _, _) = request.question, let rpID = request.relyingPartyID else {
            return false
        }
        return permitsUpgrade(of: account.name, at: rpID)
    }

    /// Whether this account may get a passkey without a question.
    func permitsUpgrade(of userName: String, at relyingPartyID: String) -> Bool {
        sheet?.upgrade?.isFor(userName, at: relyingPartyID) ?? false
    }

    func verificationCapability() async -> VerificationCapability { vault == nil ? .unsupported : .ready }

    /// The person knows the passphrase of the vault, which is opened with it where it is locked.
    private func verify(_ passphrase: Passphrase) async throws {
        guard let vault else { throw AgentError(.denied, "there is no vault whose passphrase would show who you are") }
        if await vault.isLocked {
            try await vault.unlock(with: passphrase)
        } else {
            try await vault.verify(passphrase)
        }
    }

    // MARK: With a passphrase

    private func answered(_ request: ConsentRequest, passphrase: String) async throws -> ConsentAnswer {
        let passphrase = try Passphrase(passphrase)
        try await asking.attempts.trying(.program) { try await verify(passphrase) }
        return .agreed(ConsentAgreement(isPresent: true, isVerified: true))
    }

    // MARK: By asking

    private func prompted(_ request: ConsentRequest) async throws -> ConsentAnswer {
        switch request.question {
        case .selectAuthenticator:
            return try await confirm(request, "Use Ward for this?", agree: "Use Ward", chosen: nil)
        case .makePasskey(let account, let replacing, let isExcluded):
            var text = "Make a passkey for \(name(account)) at \(place(request))?"
            if isExcluded { text = "You have a passkey for \(place(request)) here already. Tell the site?" }
            if let old = replacing.first { text += "\nIt replaces the one of \(name(old))." }
            if sheet?.isConfirmed == true, !isExcluded, replacing.isEmpty, !request.wantsVerification {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false))
            }
            return try await agree(request, text, agree: isExcluded ? "Tell the site" : "Make passkey", chosen: nil)
        case .usePasskey(let accounts):
            if sheet?.isConfirmed == true, !request.wantsVerification, let picked = accounts.first?.credentialID {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false, chosen: picked))
            }
            guard let first = accounts.first else {
                // The site hears the same as for a refusal.
                return try await confirm(
                    request,
                    "\(place(request)) asks for a passkey, and there is none for it here.",
                    agree: "OK",
                    chosen: nil
                )
            }
            guard accounts.count > 1 else {
                return try await agree(request, signIn(first, request), agree: "Sign in", chosen: first.credentialID)
            }
            guard let chosen = try await choose(accounts, request) else { return .refused }
            guard request.wantsVerification else {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false, chosen: chosen.credentialID))
            }
            return try await agree(request, signIn(chosen, request), agree: "Sign in", chosen: chosen.credentialID)
        }
    }

    /// One account after the other, each with a button for the next.
    private func choose(
        _ accounts: [ConsentRequest.Account],
        _ request: ConsentRequest
    ) async throws -> ConsentRequest.Account? {
        var index = 0
        while true {
            let account = accounts[index]
            let prompt = Prompt(
                .choice(other: "Another account"),
                "\(signIn(account, request))\n(account \(index + 1) of \(accounts.count))\(page(request))",
                asker: who,
                agree: "This one",
                timeout: timeout(request)
            )
            switch try await asking.ask(prompt, requester) {
            case .agreed: return account
            case .other: index = (index + 1) % accounts.count
            default: return nil
            }
        }
    }

    private func agree(
        _ request: ConsentRequest,
        _ text: String,
        agree: String,
        chosen: CredentialID?
    ) async throws -> ConsentAnswer {
        guard request.wantsVerification else { return try await confirm(request, text, agree: agree, chosen: chosen) }
        try await asking.asking(
            Prompt(
                .secret(label: "Passphrase"),
                "\(text)\(page(request))\nType your passphrase to show that it is you.",
                asker: who,
                agree: agree,
                timeout: timeout(request)
            ),
            requester
        ) { typed in
            try await verify(try Passphrase(utf8: typed))
        }
        return .agreed(ConsentAgreement(isPresent: true, isVerified: true, chosen: chosen))
    }

    private func confirm(
        _ request: ConsentRequest,
        _ text: String,
        agree: String,
        chosen: CredentialID?
    ) async throws -> ConsentAnswer {
        let prompt = Prompt(.confirmation, text + page(request), asker: who, agree: agree, timeout: timeout(request))
        switch try await asking.ask(prompt, requester) {
        case .agreed: return .agreed(ConsentAgreement(isPresent: true, isVerified: false, chosen: chosen))
        case .timedOut: return .timedOut
        default: return .refused
        }
    }

    // MARK: Words

    private func signIn(_ account: ConsentRequest.Account, _ request: ConsentRequest) -> String {
        "Sign in to \(place(request)) as \(name(account))?"
    }

    private func name(_ account: ConsentRequest.Account) -> String {
        let names = [account.name, account.displayName].map(\.cleanedForPrompt).filter { !$0.isEmpty }
        return names.first ?? "your account"
    }

    /// The RP ID is what was checked; the site's own name for itself is not shown in its stead.
    private func place(_ request: ConsentRequest) -> String { request.relyingPartyID?.domainForPrompt ?? "a site" }

    /// The page that asks, where it is not the RP ID's own, and the page around it.
    ///
    /// WebAuthn Level 3, "cross-origin use": both the origin and the RP ID are shown where they differ, and the person is warned of
    /// a frame in a page of another origin.
    private func page(_ request: ConsentRequest) -> String {
        let origin = request.context.origin
        var text = ""
        if let host = origin?.web?.host.description, host != request.relyingPartyID {
            text += "\nThe page that asks is \(host.domainForPrompt)."
        }
        if let top = request.context.topOrigin, top != origin {
            let outer = (top.web?.host.description ?? top.description).domainForPrompt
            text += "\nWarning: you see it inside a page of \(outer)."
        }
        return text
    }

    private var who: String {
        guard let sheet else { return requester.introduction }
        return "The passkey is kept in \(sheet.manager.cleanedForPrompt).\n\(sheet.introduction)"
    }

    private func timeout(_ request: ConsentRequest) -> Int {
        guard let timeout = request.context.timeout else { return 120 }
        return max(10, min(600, Int(clamping: timeout.components.seconds)))
    }
}
