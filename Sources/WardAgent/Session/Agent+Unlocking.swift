internal import WardAgentClient
internal import WardVault

extension Agent {
    /// How often a wrong passphrase may be typed in one prompt.
    private static let tries = 3

    /// Unlocks a vault with what the request brought, or by asking.
    func unlock(
        _ vault: Vault,
        _ authorization: Authorization,
        _ caller: AgentCaller,
        purpose: String,
        trust: Vault.Trust,
        asker: String? = nil
    ) async throws {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            return try await attempts.trying(.program) { try await vault.unlock(with: passphrase, trusting: trust) }
        }
        guard authorization.mayPrompt else {
            throw AgentError(.locked, "the vault is locked: ward unlock opens it")
        }
        // Nobody types a passphrase that cannot help.
        try await vault.checkSecretKey()
        try await inTurn(caller) { [self] in
            // Whoever waited behind another prompt may find it open.
            guard await vault.isLocked else { return }
            try await asking(
                Prompt(
                    .secret(label: "Passphrase"),
                    "Your vault is locked. Unlock it to \(purpose)?",
                    asker: asker ?? caller.peer.introduction,
                    agree: "Unlock"
                ),
                caller
            ) { typed in
                try await vault.unlock(with: try Passphrase(utf8: typed), trusting: trust)
            }
        }
    }

    /// Makes sure that the person is there and knows the passphrase.
    func proveIdentity(
        _ vault: Vault,
        _ authorization: Authorization,
        _ caller: AgentCaller,
        purpose: String
    ) async throws {
        if let text = authorization.passphrase {
            let passphrase = try Passphrase(text)
            return try await attempts.trying(.program) { try await vault.verify(passphrase) }
        }
        guard authorization.mayPrompt else { throw AgentError(.denied, "nobody may be asked for the passphrase") }
        try await inTurn(caller) { [self] in
            try await asking(
                Prompt(
                    .secret(label: "Passphrase"),
                    "Type your passphrase to \(purpose).",
                    asker: caller.peer.introduction,
                    agree: "Agree"
                ),
                caller
            ) { typed in
                try await vault.verify(try Passphrase(utf8: typed))
            }
        }
    }

    /// Asks until the passphrase is right, the person gives up, or it was wrong too often.
    nonisolated func asking(
        _ prompt: Prompt,
        _ caller: AgentCaller,
        _ check: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        var prompt = prompt
        for attempt in 1...Self.tries {
            try attempts.check(.prompt)
            var typed: [UInt8]
            switch try await ask(prompt, caller) {
            case .secret(let bytes): typed = bytes
            case .timedOut: throw AgentError(.denied, "nobody answered the prompt in time: try again")
            default: throw AgentError(.denied, "the prompt was closed")
            }
            defer { for index in typed.indices { typed[index] = 0 } }
            do {
                let secret = typed
                return try await attempts.trying(.prompt) { try await check(secret) }
            } catch let error as VaultError where error.code == .wrongPassphrase || error.code == .emptyPassphrase {
                let isEmpty = error.code == .emptyPassphrase
                guard attempt < Self.tries else {
                    // Nothing typed is no guess: the person does not want to.
                    throw isEmpty ? AgentError(.denied, "no passphrase was typed") : error
                }
                let problem = isEmpty ? "No passphrase was typed" : "Wrong passphrase"
                prompt.error = "\(problem) (\(attempt) of \(Self.tries) tries)."
            }
        }
    }
}
