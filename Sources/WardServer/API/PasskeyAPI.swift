import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of the account's passkeys.
///
/// Every call reads the session, and uses only the account of this session.
struct PasskeyAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.patch("/api/v1/account/passkeys/{id}") { try await rename($0, $1) }
        router.delete("/api/v1/account/passkeys/{id}") { try await delete($0, $1) }
    }

    private func rename(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let id = try credentialID(context)
        let name = try PublicText.passkeyName(JSONFields(await request.jsonBody()).string("name"), at: "name")
        let passkey = try await deployment.store.write { tx in
            let (_, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            guard try await tx.renamePasskey(credentialID: id, of: account.id, to: name),
                let passkey = try await tx.passkey(credentialID: id)
            else { throw APIError.noSuchPasskey }
            return passkey
        }
        let body: JSONValue = ["passkey": JSONValue(passkey)]
        return .json(body.serialized)
    }

    private func delete(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let id = try credentialID(context)
        let isOver = try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            try await deployment.keepingRules(of: account, at: now, in: tx) {
                guard try await tx.deletePasskey(credentialID: id, of: account.id) else { throw APIError.noSuchPasskey }
            }
            // The check comes after the deletion, in the same transaction. So two simultaneous deletions cannot remove every
            // passkey.
            guard try await deployment.hasWayIn(account.id, in: tx) else {
                throw APIError(
                    .lastPasskey,
                    "This is the account's only passkey, and the account has no password. So the passkey cannot be deleted."
                )
            }
            try await deployment.tell(.passkeyDeleted, account, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(
                AuditEvent(.passkeyDeleted, at: now, of: account.id, credential: id, details: details)
            )
            return try await tx.session(tokenHash: presented.tokenHash) == nil
        }
        return isOver ? deployment.signedOut(request) : Response(status: .noContent)
    }

    private func credentialID(_ context: WardRequestContext) throws(APIError) -> CredentialID {
        guard let id = context.parameters.get("id").flatMap({ CredentialID(base64URL: $0) }) else {
            throw .noSuchPasskey
        }
        return id
    }
}

extension APIError {
    fileprivate static let noSuchPasskey = APIError(.notFound, "The account has no passkey with this credential ID.")
}
