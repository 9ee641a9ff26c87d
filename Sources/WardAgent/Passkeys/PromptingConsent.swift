internal import Logging
internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

/// Asks the person in the agent's prompts before a passkey is created or used.
///
/// If the request has a passphrase, the passphrase is checked and no prompt appears. The person counts as verified only if it
/// really happened for this ceremony: the passphrase was typed or sent, the PIN was right, or a fingerprint matched.
struct PromptingConsent: UserConsent {
    /// The decisions that were made before a ceremony began, for example in an app's prompt.
    struct Sheet: Sendable {
        /// The requester, for the end of a prompt.
        var introduction: [[PromptSentence]]
        /// The name that the app gives itself.
        ///
        /// Another manager learns nothing else about the app.
        var appName: String
        /// The manager that has the passkey, or that will store it.
        var manager: String
        /// Whether the manager verifies its person itself.
        ///
        /// Then the agent does not ask for the passphrase.
        var managerVerifies: Bool
        /// Whether the person has already picked one of several entries.
        ///
        /// Then only verification is left.
        var isConfirmed: Bool
        /// Why an account may get a passkey without a prompt.
        var upgrade: UpgradeGround?
    }

    let asking: Asking
    /// The vault whose passphrase verifies the person.
    ///
    /// Without a vault no verification is possible.
    let vault: Vault?
    let authorization: Authorization
    let requester: Requester
    let trouble: PromptTrouble
    let quick: QuickVerification
    /// Whether the person was verified when they opened the vault for this ceremony.
    let proof: CeremonyProof
    /// Whether the person has just agreed in the window of the browser's extension.
    ///
    /// This shows that they are present, and does not verify them.
    var isPresent = false
    var sheet: Sheet?

    /// The information about the requester that another manager gets.
    var appName: String { sheet?.appName ?? "" }

    /// The WebAuthn client of the ceremony.
    ///
    /// A page may use a related origin. An app may use only domains that list it.
    var client: ClientConfiguration {
        var client = ClientConfiguration(mayUpgrade: { _, rpID, user in
            permitsUpgrade(of: user.id, named: user.name, at: rpID)
        })
        if case .page = requester { client.relatedOrigins = .http }
        return client
    }

    /// Whether the person has already agreed, so that only verification is left.
    private var isConfirmed: Bool { isPresent || sheet?.isConfirmed == true }

    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        do {
            if let text = authorization.passphrase { return try await answered(request, passphrase: text) }
            guard authorization.mayPrompt else { return .refused }
            return try await asking.inTurn(requester, isExpected: isPresent) { try await prompted(request, $0) }
        } catch is CancellationError {
            return .cancelled
        } catch PromptRefusal.timedOut {
            return .timedOut
        } catch is PromptRefusal {
            return .refused
        } catch let error as AgentError where error.code == .denied {
            return .refused
        } catch {
            let error = AgentError(reporting: error)
            trouble.note(error)
            asking.logger.warning("nobody could be asked", metadata: ["error": "\(error)"])
            return .refused
        }
    }

    /// Whether the manager that has the passkey verifies its person.
    private func leavesVerification(_ request: ConsentRequest) -> Bool {
        request.wantsVerification && sheet?.managerVerifies == true
    }

    /// Whether the person has just signed in to this account.
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool {
        guard case .makePasskey(let account, _, _) = request.question, let rpID = request.rpID else {
            return false
        }
        return permitsUpgrade(of: account.userHandle, named: account.name, at: rpID)
    }

    /// Whether this account may get a passkey without a prompt.
    func permitsUpgrade(of handle: UserHandle, named name: String, at rpID: String) -> Bool {
        sheet?.upgrade?.isFor(handle, named: name, at: rpID) ?? false
    }

    func verificationCapability() async -> VerificationCapability { vault == nil ? .unsupported : .ready }

    /// Checks the vault's passphrase, and opens the vault if it is locked.
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
        if !proof.take() {
            let passphrase = try Passphrase(passphrase)
            try await asking.attempts.trying(.program) { try await verify(passphrase) }
        }
        return .agreed(ConsentAgreement(isPresent: true, isVerified: true))
    }

    // MARK: By asking

    /// The verification that is still needed.
    private enum Need {
        /// A yes is enough.
        case presence
        /// The person must be verified.
        case verification
        /// The person was verified for this ceremony, when they opened the vault.
        case nothing
    }

    /// If the site only prefers verification, a yes is enough, unless a PIN or a fingerprint is set up.
    private func need(_ request: ConsentRequest) async -> Need {
        if proof.take() { return .nothing }
        guard request.wantsVerification, !leavesVerification(request) else { return .presence }
        guard request.isVerificationOptional else { return .verification }
        guard let vault else { return .presence }
        return await quick.isReady(vault) ? .verification : .presence
    }

    private func agreed(_ need: Need, _ chosen: CredentialID? = nil) -> ConsentAnswer {
        .agreed(ConsentAgreement(isPresent: true, isVerified: need == .nothing, chosen: chosen))
    }

    private func prompted(_ request: ConsentRequest, _ turn: PromptTurn) async throws -> ConsentAnswer {
        let need = await need(request)
        switch request.question {
        case .selectAuthenticator:
            try await turn.confirm(question(request, [.useWard], agree: .useWard))
            return agreed(.presence)
        case .makePasskey(let account, let replacing, let isExcluded):
            var sentences = [PromptSentence.makePasskey(account: name(account), site: site(request))]
            if isExcluded { sentences = [.alreadyHasPasskey(site: site(request))] }
            if let old = replacing.first { sentences.append(.replacesPasskey(account: name(old))) }
            let isSettled = need == .nothing || isConfirmed && need == .presence
            if isSettled, !isExcluded, replacing.isEmpty { return agreed(need) }
            return try await agree(request, need, sentences, agree: isExcluded ? .tellSite : .makePasskey, nil, turn)
        case .usePasskey(let accounts):
            if isConfirmed, need != .verification, let picked = accounts.first?.credentialID {
                return agreed(need, picked)
            }
            guard let first = accounts.first else {
                // The site gets the same answer as after a refusal.
                try await turn.confirm(question(request, [.noPasskey(site: site(request))], agree: .ok))
                return agreed(.presence)
            }
            guard accounts.count > 1 else { return try await use(first, request, need, turn) }
            let chosen = try await choose(accounts, request, turn)
            guard need == .verification else { return agreed(need, chosen.credentialID) }
            return try await agree(request, need, [signIn(chosen, request)], agree: .signIn, chosen.credentialID, turn)
        }
    }

    /// Uses the only passkey that matches.
    private func use(
        _ account: ConsentRequest.Account,
        _ request: ConsentRequest,
        _ need: Need,
        _ turn: PromptTurn
    ) async throws -> ConsentAnswer {
        guard need == .nothing else {
            return try await agree(
                request,
                need,
                [signIn(account, request)],
                agree: .signIn,
                account.credentialID,
                turn
            )
        }
        // The only prompt appeared before the account was known.
        await asking.notify(
            title: .signedInTitle,
            text: .signedIn(site: site(request), account: name(account)),
            requester
        )
        return agreed(need, account.credentialID)
    }

    /// Shows one account after the other.
    private func choose(
        _ accounts: [ConsentRequest.Account],
        _ request: ConsentRequest,
        _ turn: PromptTurn
    ) async throws -> ConsentRequest.Account {
        let questions = accounts.enumerated().map { index, account in
            let number = PromptSentence.accountNumber(index + 1, of: accounts.count)
            return question(request, [signIn(account, request), number], agree: .thisOne)
        }
        return accounts[try await turn.pick(questions, other: .anotherAccount)]
    }

    /// Asks for a yes, or verifies the person if the site requires it.
    private func agree(
        _ request: ConsentRequest,
        _ need: Need,
        _ sentences: [PromptSentence],
        agree: PromptWord,
        _ chosen: CredentialID?,
        _ turn: PromptTurn
    ) async throws -> ConsentAnswer {
        var question = question(request, sentences, agree: agree)
        guard need == .verification else {
            if leavesVerification(request), let sheet {
                question.lines.append([.providerVerifies(provider: .label(sheet.manager))])
            }
            try await turn.confirm(question)
            return agreed(need, chosen)
        }
        guard let vault else { throw AgentError(.denied, "there is no vault whose passphrase would show who you are") }
        let verifier = PersonVerifier(quick: quick, vault: vault, turn: turn) { typed in
            try await verify(try Passphrase(utf8: typed))
        }
        try await verifier.verify(question)
        return agreed(.nothing, chosen)
    }

    // MARK: Words

    private func question(
        _ request: ConsentRequest,
        _ sentences: [PromptSentence],
        agree: PromptWord
    ) -> Question {
        let kept = sheet.map { [[PromptSentence.keptIn(provider: .label($0.manager))]] + $0.introduction }
        return Question(
            sentences + request.context.pageForPrompt(request.rpID),
            asker: kept,
            agree: agree,
            timeout: timeout(request)
        )
    }

    private func signIn(_ account: ConsentRequest.Account, _ request: ConsentRequest) -> PromptSentence {
        .signIn(site: site(request), account: name(account))
    }

    private func name(_ account: ConsentRequest.Account) -> CleanText? {
        CleanText.name(account.name) ?? CleanText.name(account.displayName)
    }

    /// The RP ID.
    ///
    /// It was checked.
    ///
    /// The site's own name for itself is not shown, because the site could use any name.
    private func site(_ request: ConsentRequest) -> CleanText? { request.rpID.map { .domain($0) } }

    private func timeout(_ request: ConsentRequest) -> Int {
        guard let timeout = request.context.timeout else { return 120 }
        return max(10, min(600, Int(clamping: timeout.components.seconds)))
    }
}
