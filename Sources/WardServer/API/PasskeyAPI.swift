import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of the account and its passkeys.
///
/// Every call reads the session and touches only that session's account.
struct PasskeyAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account") { request, _ in try await account(request) }
        router.patch("/api/v1/account/passkeys/{id}") { try await rename($0, $1) }
        router.delete("/api/v1/account/passkeys/{id}") { try await delete($0, $1) }
    }

    private func account(_ request: Request) async throws -> Response {
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let (session, account, passkeys, hasPassword) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(tokenHash, at: now)
            let hasPassword = try await deployment.hasPassword(account.id, in: tx)
            return (session, account, try await tx.passkeys(of: account.id), hasPassword)
        }
        try await deployment.touch(session)
        let body: JSONValue = [
            "account": JSONValue(account), "passkeys": .array(passkeys.map { JSONValue($0) }),
            "hasPassword": .bool(hasPassword),
        ]
        return .json(body.serialized)
    }

    private func rename(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let id = try credentialID(context)
        let name = try PublicText.passkeyName(JSONFields(await request.jsonBody()).string("name"))
        let passkey = try await deployment.store.write { tx in
            let (_, account) = try await tx.signedIn(tokenHash, at: now)
            guard try await tx.renamePasskey(credentialID: id, of: account.id, to: name),
                let passkey = try await tx.passkey(credentialID: id)
            else { throw APIError.noSuchPasskey }
            return passkey
        }
        let body: JSONValue = ["passkey": JSONValue(passkey)]
        return .json(body.serialized)
    }

    private func delete(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let id = try credentialID(context)
        let isOver = try await deployment.store.write { tx in
            let (_, account) = try await tx.recentlySignedIn(tokenHash, at: now)
            guard try await tx.deletePasskey(credentialID: id, of: account.id) else { throw APIError.noSuchPasskey }
            // Check after the deletion, in the same transaction: two simultaneous deletions cannot remove every
            // passkey.
            if try await !tx.hasOpeningPasskey(account.id), try await !deployment.hasPassword(account.id, in: tx) {
                throw APIError(.lastPasskey, "The only passkey of an account without a password cannot be deleted.")
            }
            return try await tx.session(tokenHash: tokenHash) == nil
        }
        let response = Response(status: .noContent)
        return isOver ? response.setting(deployment.cookie.clearing) : response
    }

    private func credentialID(_ context: WardRequestContext) throws(APIError) -> CredentialID {
        guard let id = context.parameters.get("id").flatMap({ CredentialID(base64URL: $0) }) else {
            throw .noSuchPasskey
        }
        return id
    }
}

extension Deployment {
    /// Whether the account has a password for sign-in.
    fileprivate func hasPassword(_ account: AccountID, in tx: some AccountTransaction) async throws -> Bool {
        guard acceptsPasswords else { return false }
        return try await tx.password(of: account) != nil
    }
}

extension APIError {
    fileprivate static let noSuchPasskey = APIError(.notFound, "The account has no passkey with this credential ID.")
}
