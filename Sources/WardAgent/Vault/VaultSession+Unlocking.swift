internal import WardAgentClient
internal import WardVault

extension VaultSession {
    /// Unlocks a vault with the passphrase of the request, or with a prompt.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - authorization: How the request is allowed.
    ///   - requester: Who asks.
    ///   - purpose: What the vault is unlocked for.
    ///   - trust: Which file is accepted.
    ///   - page: What the prompt says of the page that asks.
    ///   - asker: Who asks, in full; `nil` for what is known of the requester.
    ///   - proof: Hears that the person showed who they are.
    ///   - needsPassphrase: Whether the PIN of the TPM is not enough.
    /// - Throws: ``PromptRefusal``; `AgentError` with `locked` if nobody may be asked, or `tooManyAttempts`; `VaultError`.
    nonisolated func unlock(
        _ vault: Vault,
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose?,
        trust: Vault.Trust,
        page: [PromptSentence] = [],
        asker: [[PromptSentence]]? = nil,
        proof: CeremonyProof? = nil,
        needsPassphrase: Bool = false
    ) async throws {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            try await asking.attempts.trying(.program) {
                try await vault.unlock(with: passphrase, trusting: trust)
            }
            proof?.note()
            await quickUnlock.renewIfDue(vault)
            return
        }
        guard authorization.mayPrompt else {
            throw AgentError(.locked, "the vault is locked. To open it: ward unlock")
        }
        // The agent does not ask for a passphrase that could not open the vault.
        try await vault.checkSecretKey()
        try await asking.inTurn(requester) { turn in
            // When a request had to wait for another prompt, the vault may be open by then.
            guard await vault.isLocked else { return }
            var problem: PromptSentence?
            if !needsPassphrase, trust == .known, quickUnlock.isReady(vault) {
                let sentences: [PromptSentence] = [.typePINToUnlock(purpose), .emptyIsPassphrase] + page
                let question = Question(sentences, asker: asker, agree: .unlock)
                switch try await unlockWithPIN(vault, question, turn) {
                case .opened:
                    proof?.note()
                    return
                case .passphrase(let why): problem = why
                }
            }
            let question = Question([.vaultIsLocked(purpose)] + page, asker: asker, agree: .unlock)
            try await turn.passphrase(question, problem: problem) { typed in
                try await vault.unlock(with: try Passphrase(utf8: typed), trusting: trust)
            }
            proof?.note()
            await quickUnlock.renewIfDue(vault)
        }
    }

    /// Verifies the person by the passphrase.
    nonisolated func proveIdentity(
        _ vault: Vault,
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose,
        page: [PromptSentence] = []
    ) async throws {
        try await withPassphrase(authorization, requester, to: purpose, page: page) { try await vault.verify($0) }
    }

    /// Runs a closure with the passphrase of the request, or with the one that the person types.
    ///
    /// - Parameters:
    ///   - authorization: How the request is allowed.
    ///   - requester: Who asks.
    ///   - purpose: What the passphrase is for.
    ///   - page: What the prompt says of the page that asks.
    ///   - body: Uses the passphrase, and throws `VaultError` with `wrongPassphrase` for a wrong one.
    /// - Returns: What the closure returns.
    /// - Throws: ``PromptRefusal``; `AgentError` with `denied` if nobody may be asked, or `tooManyAttempts`; what the closure throws.
    nonisolated func withPassphrase<T: Sendable>(
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose,
        page: [PromptSentence] = [],
        _ body: @escaping @Sendable (Passphrase) async throws -> T
    ) async throws -> T {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            return try await asking.attempts.trying(.program) { try await body(passphrase) }
        }
        guard authorization.mayPrompt else {
            throw AgentError(.denied, "the passphrase is needed, and prompts are off for this request")
        }
        return try await asking.inTurn(requester) { turn in
            try await turn.passphrase(Question([.typePassphrase(purpose)] + page, agree: .agree)) { typed in
                try await body(try Passphrase(utf8: typed))
            }
        }
    }

    /// Runs a closure that only the owner may run, with the passphrase that came with the request.
    ///
    /// - Parameters:
    ///   - text: The passphrase, which is needed also if the vault is open.
    ///   - body: Throws `VaultError` with `wrongPassphrase` for a wrong passphrase. Its other errors must be about the vault.
    /// - Returns: What the closure returns.
    /// - Throws: `AgentError` with `tooManyAttempts`; `VaultError`; what the closure throws.
    nonisolated func asOwner<T: Sendable>(
        _ text: String,
        _ body: @escaping @Sendable (Vault, Passphrase) async throws -> T
    ) async throws -> T {
        let (vault, passphrase) = (try await file(), try Passphrase(text))
        return try await asking.attempts.trying(.program) {
            if await vault.isLocked { try await vault.unlock(with: passphrase) }
            return try await self.onceMore { try await body(vault, passphrase) }
        }
    }

    /// Runs a closure, and once more if the header of another device came meanwhile: unlocking begins a sync.
    ///
    /// - Throws: What the closure throws.
    nonisolated func onceMore<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as VaultError where error.code == .conflict {
            return try await body()
        }
    }
}
