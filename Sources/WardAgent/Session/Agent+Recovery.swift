internal import Foundation
internal import WardAgentClient
internal import WardVault

extension Agent {
    func check(_ method: CheckRecoveryKey, _ caller: AgentCaller) async throws -> CheckRecoveryKey.Result {
        try await working {
            let key = try recoveryKey(method.recoveryKey)
            let vault = try file()
            guard try await vault.confirm(key) else { return CheckRecoveryKey.Result(isRight: false) }
            guard await !vault.isProven else { return CheckRecoveryKey.Result(isRight: true, isProven: true) }
            let outline = try await vault.outline(with: key)
            return CheckRecoveryKey.Result(
                isRight: true,
                isProven: false,
                items: outline.items,
                changedAt: outline.changedAt
            )
        }
    }

    func replace(_ method: ReplaceRecoveryKey, _ caller: AgentCaller) async throws -> ReplaceRecoveryKey.Result {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "make a new recovery key")
            try await proveIdentity(vault, method.authorization, caller, purpose: "make a new recovery key")
            return ReplaceRecoveryKey.Result(recoveryKey: try await vault.replaceRecoveryKey().text)
        }
    }

    func recover(_ method: Recover, _ caller: AgentCaller) async throws -> Done {
        try await working {
            // Nobody guesses a recovery key, so that its tries are not counted.
            let vault = try file()
            let key = try recoveryKey(method.recoveryKey)
            do {
                try await vault.recover(
                    with: key,
                    newPassphrase: try Passphrase(method.passphrase),
                    trusting: method.trustsFile ? .thisFile : .known,
                    acceptingUnproven: method.trustsUnproven ?? false
                )
            } catch let error as VaultError where error.code == .unprovenVault {
                let outline = Self.sentence(try await vault.outline(with: key))
                throw VaultError(.unprovenVault, "\(error.detail). \(outline)")
            }
            attempts.forget()
            return Done()
        }
    }

    func recoveryKey(_ text: String) throws(AgentError) -> RecoveryKey {
        do {
            return try RecoveryKey(text: text)
        } catch {
            throw AgentError(.invalidValue, "\(error)")
        }
    }

    private static func sentence(_ outline: VaultOutline) -> String {
        let day = Date(timeIntervalSince1970: TimeInterval(outline.changedAt)).formatted(.iso8601.year().month().day())
        return "It has \(outline.items) item\(outline.items == 1 ? "" : "s") and was last changed on \(day)"
    }
}
