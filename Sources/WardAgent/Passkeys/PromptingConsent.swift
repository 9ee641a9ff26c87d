internal import Logging
internal import WardAgentClient
internal import WardAuthenticator
internal import WardClient
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
    var sheet: Sheet?

    /// What another manager is told of whoever asks.
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

    /// Whether the person has to show here who they are.
    private func needsPassphrase(_ request: ConsentRequest) -> Bool {
        request.wantsVerification && sheet?.managerVerifies != true
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

    private func prompted(_ request: ConsentRequest, _ turn: PromptTurn) async throws -> ConsentAnswer {
        switch request.question {
        case .selectAuthenticator:
            try await turn.confirm(question(request, [.useWard], agree: .useWard))
            return .agreed(ConsentAgreement(isPresent: true, isVerified: false))
        case .makePasskey(let account, let replacing, let isExcluded):
            var sentences = [PromptSentence.makePasskey(account: name(account), site: site(request))]
            if isExcluded { sentences = [.alreadyHasPasskey(site: site(request))] }
            if let old = replacing.first { sentences.append(.replacesPasskey(account: name(old))) }
            if sheet?.isConfirmed == true, !isExcluded, replacing.isEmpty, !needsPassphrase(request) {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false))
            }
            return try await agree(request, sentences, agree: isExcluded ? .tellSite : .makePasskey, nil, turn)
        case .usePasskey(let accounts):
            if sheet?.isConfirmed == true, !needsPassphrase(request), let picked = accounts.first?.credentialID {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false, chosen: picked))
            }
            guard let first = accounts.first else {
                // The site hears the same as for a refusal.
                try await turn.confirm(question(request, [.noPasskey(site: site(request))], agree: .ok))
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false))
            }
            guard accounts.count > 1 else {
                return try await agree(request, [signIn(first, request)], agree: .signIn, first.credentialID, turn)
            }
            let chosen = try await choose(accounts, request, turn)
            guard needsPassphrase(request) else {
                return .agreed(ConsentAgreement(isPresent: true, isVerified: false, chosen: chosen.credentialID))
            }
            return try await agree(request, [signIn(chosen, request)], agree: .signIn, chosen.credentialID, turn)
        }
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

    /// Asks for a yes, or for the passphrase where the site wants to know who it is.
    private func agree(
        _ request: ConsentRequest,
        _ sentences: [PromptSentence],
        agree: PromptWord,
        _ chosen: CredentialID?,
        _ turn: PromptTurn
    ) async throws -> ConsentAnswer {
        var question = question(request, sentences, agree: agree)
        let needsPassphrase = needsPassphrase(request)
        if needsPassphrase {
            question.lines.append([.showItIsYou])
            try await turn.passphrase(question) { typed in try await verify(try Passphrase(utf8: typed)) }
        } else {
            if request.wantsVerification, let sheet {
                question.lines.append([.providerVerifies(provider: .label(sheet.manager))])
            }
            try await turn.confirm(question)
        }
        return .agreed(ConsentAgreement(isPresent: true, isVerified: needsPassphrase, chosen: chosen))
    }

    // MARK: Words

    private func question(
        _ request: ConsentRequest,
        _ sentences: [PromptSentence],
        agree: PromptWord
    ) -> Question {
        let kept = sheet.map { [[PromptSentence.keptIn(provider: .label($0.manager))]] + $0.introduction }
        return Question(sentences + page(request), asker: kept, agree: agree, timeout: timeout(request))
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
    private func site(_ request: ConsentRequest) -> CleanText? { request.relyingPartyID.map { .domain($0) } }

    /// The page that asks, where it is not the RP ID's own, and the page around it.
    ///
    /// WebAuthn Level 3, "cross-origin use": both the origin and the RP ID are shown where they differ, and the person is warned of
    /// a frame in a page of another origin.
    private func page(_ request: ConsentRequest) -> [PromptSentence] {
        let origin = request.context.origin
        var sentences: [PromptSentence] = []
        if let host = origin?.web?.host.description, host != request.relyingPartyID {
            sentences.append(.pageAsks(host: .domain(host)))
        }
        if let top = request.context.topOrigin, top != origin {
            sentences.append(.insidePage(host: .domain(top.web?.host.description ?? top.description)))
        }
        return sentences
    }

    private func timeout(_ request: ConsentRequest) -> Int {
        guard let timeout = request.context.timeout else { return 120 }
        return max(10, min(600, Int(clamping: timeout.components.seconds)))
    }
}
