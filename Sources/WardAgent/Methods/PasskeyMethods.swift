internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Lists and removes passkeys of the vault.
struct PasskeyMethods: Sendable {
    let session: VaultSession

    func passkeys(_ method: ListPasskeys, _ program: ManagerProgram) async throws -> ListPasskeys.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listPasskeys)
            let found: [(item: ItemID, passkey: ItemSummary.Passkey)]
            if let rpID = method.rpID {
                found = try await vault.passkeys(for: rpID, includingHidden: true)
            } else {
                found = try await vault.summaries().flatMap { summary in
                    summary.passkeys.map { (item: summary.id, passkey: $0) }
                }
            }
            return ListPasskeys.Result(passkeys: found.map { PasskeyRecord($0.passkey, in: $0.item) })
        }
    }

    func removePasskey(_ method: RemovePasskey, _ program: ManagerProgram) async throws -> PasskeyRecord {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .removePasskey)
            let found = try await vault.summaries().flatMap { summary in
                summary.passkeys.filter { $0.credentialID.base64URL.hasPrefix(method.credentialID) }
                    .map { (item: summary.id, passkey: $0) }
            }
            guard let first = found.first, !method.credentialID.isEmpty else {
                throw AgentError(
                    .itemMissing,
                    "no passkey has this credential ID. To see all passkeys: ward passkey list"
                )
            }
            guard found.count == 1 else {
                throw AgentError(
                    .ambiguous,
                    "\(found.count) passkeys begin with \(method.credentialID): write more characters of the credential ID"
                )
            }
            try await vault.removePasskey(credentialID: first.passkey.credentialID)
            return PasskeyRecord(first.passkey, in: first.item)
        }
    }
}
