internal import WardVault

extension VaultSession {
    /// The result of a prompt for the PIN.
    enum PINUnlocking: Sendable {
        /// The TPM accepted the PIN, and the vault is open.
        case opened
        /// The passphrase is needed next. A sentence says why, unless the person wanted it.
        case passphrase(PromptSentence?)
    }

    /// Asks for the PIN with which the TPM opens the vault.
    ///
    /// - Throws: ``PromptRefusal`` when the person said no.
    nonisolated func unlockWithPIN(_ vault: Vault, _ question: Question, _ turn: PromptTurn) async throws
        -> PINUnlocking
    {
        var problem: PromptSentence?
        while true {
            var typed = try await turn.secret(.pin, question, problem: problem)
            defer { for index in typed.indices { typed[index] = 0 } }
            // An empty input is not an attempt: the person does not know the PIN.
            guard !typed.isEmpty else { return .passphrase(nil) }
            guard let failure = await quickUnlock.unlock(vault, pin: typed) else { return .opened }
            guard failure.mayTryAgain else { return .passphrase(failure.sentence) }
            problem = failure.sentence
        }
    }
}
