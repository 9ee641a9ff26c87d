internal import WardVault

extension VaultSession {
    /// What came of asking for the PIN.
    enum PINUnlocking: Sendable {
        /// The TPM took the PIN, and the vault is open.
        case opened
        /// The passphrase is next; the sentence says why, unless it was the person's wish.
        case passphrase(PromptSentence?)
    }

    /// Asks for the PIN that opens the vault with the TPM.
    ///
    /// - Throws: ``PromptRefusal`` when the person said no.
    nonisolated func unlockWithPIN(_ vault: Vault, _ question: Question, _ turn: PromptTurn) async throws
        -> PINUnlocking
    {
        var problem: PromptSentence?
        while true {
            var typed = try await turn.secret(.pin, question, problem: problem)
            defer { for index in typed.indices { typed[index] = 0 } }
            // Nothing typed is not a try: the person does not know it.
            guard !typed.isEmpty else { return .passphrase(nil) }
            guard let failure = await quickUnlock.unlock(vault, pin: typed) else { return .opened }
            guard failure.mayTryAgain else { return .passphrase(failure.sentence) }
            problem = failure.sentence
        }
    }
}
