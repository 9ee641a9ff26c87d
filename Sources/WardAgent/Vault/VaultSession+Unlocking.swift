internal import WardAgentClient
internal import WardVault

extension VaultSession {
    /// Unlocks a vault, with the passphrase of the request or by asking.
    nonisolated func unlock(
        _ vault: Vault,
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose?,
        trust: Vault.Trust,
        asker: [[PromptSentence]]? = nil
    ) async throws {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            return try await asking.attempts.trying(.program) {
                try await vault.unlock(with: passphrase, trusting: trust)
            }
        }
        guard authorization.mayPrompt else {
            throw AgentError(.locked, "the vault is locked: ward unlock opens it")
        }
        // Nobody types a passphrase that cannot help.
        try await vault.checkSecretKey()
        try await asking.inTurn(requester) { turn in
            // A request that waited behind another prompt may find the vault open.
            guard await vault.isLocked else { return }
            try await turn.passphrase(Question([.vaultIsLocked(purpose)], asker: asker, agree: .unlock)) { typed in
                try await vault.unlock(with: try Passphrase(utf8: typed), trusting: trust)
            }
        }
    }

    /// Makes sure that the person is there and knows the passphrase.
    nonisolated func proveIdentity(
        _ vault: Vault,
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose
    ) async throws {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            return try await asking.attempts.trying(.program) { try await vault.verify(passphrase) }
        }
        guard authorization.mayPrompt else { throw AgentError(.denied, "nobody may be asked for the passphrase") }
        try await asking.inTurn(requester) { turn in
            try await turn.passphrase(Question([.typePassphrase(purpose)], agree: .agree)) { typed in
                try await vault.verify(try Passphrase(utf8: typed))
            }
        }
    }
}
