internal import Logging
internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

/// Asks the person before a passkey is made or used, through the agent's prompts.
///
/// A passphrase that came with the request answers instead, after it was checked. Verification is what really happened, for this
/// very ceremony: the passphrase was typed or brought, the PIN was right, or a finger matched.
struct PromptingConsent: UserConsent {
    /// What an app's sheet settled before a ceremony began.
    struct Sheet: Sendable {
        /// Who asks, for the end of a prompt.
        var introduction: [[PromptSentence]]
        /// What the app calls itself, which is all that another manager is told of it.
        var appName: String
        /// The manager that has the passkey, or will.
        var manager: String
        /// Whether the manager verifies its person itself, so that no passphrase is asked here.
        var managerVerifies: Bool
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
    let quick: QuickVerification
    /// Whether the person showed who they are when they opened the vault for this very ceremony.
    let proof: CeremonyProof
    var sheet: Sheet?

    /// What another manager is told of the caller.
    var appName: String { sheet?.appName ?? "" }

    /// The client of the ceremony: a page may be of a related origin, and an app speaks only for domains that name it.
    var client: ClientConfiguration {
        if case .page = requester { return ClientConfiguration(relatedOrigins: .http) }
        return ClientConfiguration(mayUpgrade: { _, rpID, user in permitsUpgrade(of: user.name, at: rpID) })
    }

    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        do {
            if let text = authorization.passphrase { return try await answered(request, passphrase: text) }
            guard authorization.mayPrompt else { return .refused }
            return try await asking.inTurn(requester) { try await prompted(request, $0) }
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

    /// Whether the app was handed the account's password moments ago, so that the person just signed in with it.
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool {
        guard case .makePasskey(let account, _, _) = request.question, let rpID = request.rpID else {
            return false
        }
        return permitsUpgrade(of: account.name, at: rpID)
    }

    /// Whether this account may get a passkey without a question.
    func permitsUpgrade(of userName: String, at rpID: String) -> Bool {
        sheet?.upgrade?.isFor(userName, at: rpID) ?? false
    }

    func verificationCapability() async -> VerificationCapability { vault == nil ? .unsupported : .ready }

    /// Checks the passphrase of the vault, and opens the vault with it if it is locked.
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

    /// What is still to be shown of the person.
    private enum Need {
        /// A yes is enough.
        case presence
        /// They have to show who they are.
        case verification
        /// They did, for this ceremony, when they opened the vault for it.
        case nothing
    }

    /// A yes is enough where the site only prefers more, unless the person can be verified easily.
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
            let isSettled = need == .nothing || sheet?.isConfirmed == true && need == .presence
            if isSettled, !isExcluded, replacing.isEmpty { return agreed(need) }
            return try await agree(request, need, sentences, agree: isExcluded ? .tellSite : .makePasskey, nil, turn)
        case .usePasskey(let accounts):
            if sheet?.isConfirmed == true, need != .verification, let picked = accounts.first?.credentialID {
                return agreed(need, picked)
            }
            guard let first = accounts.first else {
                // The site hears the same as for a refusal.
                try await turn.confirm(question(request, [.noPasskey(site: site(request))], agree: .ok))
                return agreed(.presence)
            }
            guard accounts.count > 1 else { return try await use(first, request, need, turn) }
            let chosen = try await choose(accounts, request, turn)
            guard need == .verification else { return agreed(need, chosen.credentialID) }
            return try await agree(request, need, [signIn(chosen, request)], agree: .signIn, chosen.credentialID, turn)
        }
    }

    /// Uses the only passkey there is.
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
        // The one prompt came before anybody could know which account it would be.
        await asking.notify(
            title: .signedInTitle,
            text: .signedIn(site: site(request), account: name(account)),
            requester
        )
        return agreed(need, account.credentialID)
    }

    /// One account after the other.
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

    /// Asks for a yes, or for more where the site wants to know who it is.
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

    /// The RP ID, which was checked.
    ///
    /// The site's own name for itself is not shown in its place.
    private func site(_ request: ConsentRequest) -> CleanText? { request.rpID.map { .domain($0) } }

    private func timeout(_ request: ConsentRequest) -> Int {
        guard let timeout = request.context.timeout else { return 120 }
        return max(10, min(600, Int(clamping: timeout.components.seconds)))
    }
}
