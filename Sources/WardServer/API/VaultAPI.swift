import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API that lists the account's vaults at the sync server and deletes them.
struct VaultAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/vaults") { try await list($0, $1) }
        router.delete("/api/v1/account/vaults/{id}") { try await delete($0, $1) }
    }

    private func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let vaults = try deployment.keptVaults()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, account) = try await deployment.store.read { tx in
            try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
        }
        await deployment.touch(session, context)
        let body: JSONValue = [
            "vaults": .array(try await vaults.list(account.id.text).map { JSONValue($0) }),
            "most": ["vaults": .integer(Int64(vaults.mostVaults)), "bytes": .integer(vaults.mostBytes)],
        ]
        return .json(body.serialized)
    }

    /// Deletes a vault from the server.
    ///
    /// It has another database, so no transaction can have both: the row of the audit log is written once the vault is gone.
    private func delete(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let vaults = try deployment.keptVaults()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, account) = try await deployment.store.read { tx in
            try await deployment.recentlySignedIn(presented, at: now, in: tx)
        }
        guard let id = context.parameters.get("id"), try await vaults.delete(id, account.id.text) else {
            throw APIError(.notFound, "The account has no vault with this ID.")
        }
        let details = deployment.auditDetails(session.id, request, context)
        try await deployment.store.write { tx in
            try await tx.append(AuditEvent(.vaultDeleted, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }
}

extension Deployment {
    /// The vaults at the sync server.
    ///
    /// - Throws: ``APIError`` with `sync_disabled` if there is no sync server.
    fileprivate func keptVaults() throws(APIError) -> AccountVaults {
        guard let vaults else { throw APIError(.syncDisabled, "This service has no sync server.") }
        return vaults
    }
}

extension JSONValue {
    fileprivate init(_ vault: AccountVaults.Vault) {
        self = [
            "id": .string(vault.id), "broughtAt": .string(JSONTime.text(vault.broughtAt)),
            "lastUsedAt": vault.lastUsedAt.map { .string(JSONTime.text($0)) } ?? .null,
            "devices": .integer(Int64(vault.devices)), "bytes": .integer(vault.bytes),
        ]
    }
}
