import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API for the account itself: read it, change its names, export it, delete it.
///
/// Every call reads the session, and uses only the account of this session.
struct AccountAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account") { try await account($0, $1) }
        router.get("/api/v1/account/export") { try await export($0, $1) }
        router.patch("/api/v1/account") { try await rename($0, $1) }
        router.delete("/api/v1/account") { try await delete($0, $1) }
    }

    private func account(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, body) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            return (session, try await json(account, session, at: now, in: tx))
        }
        await deployment.touch(session, context)
        return .json(body.serialized)
    }

    private func json(
        _ account: Account,
        _ session: Session,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> JSONValue {
        let passkeys = try await tx.passkeys(of: account.id)
        let hasPassword = try await deployment.hasPassword(account.id, in: tx)
        let email = deployment.sendsMail ? try await tx.email(of: account.id) : nil
        let factors = try await OtherFactors(of: account.id, in: tx)
        let journey = PasswordlessJourney(
            passkeys,
            hasPassword: hasPassword,
            recoveryCodes: factors.recoveryCodes,
            hasAddress: email?.confirmed != nil
        )
        let means = try await deployment.means(of: account.id, at: now, in: tx)
        return [
            "account": JSONValue(account), "passkeys": .array(passkeys.map { JSONValue($0) }),
            "hasPassword": .bool(hasPassword),
            "userVerified": .bool(session.passkeyProof?.userVerified ?? false),
            "email": JSONValue(email, at: now), "factors": factors.json(naming: deployment.federation.providers.names),
            "passwordless": journey.json,
            "policy": deployment.policyNotice(of: account, means, at: now),
            "offersRemoval": .bool(try await deployment.mayOfferRemoval(of: account.id, journey, at: now, in: tx)),
            "offersPasskey": .bool(try await deployment.mayOfferPasskey(to: account.id, at: now, in: tx)),
            "recoveries": try await deployment.stoppableRecoveries(of: account.id, at: now, in: tx),
        ]
    }

    private func export(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, body) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            let body = try await JSONValue(
                exporting: account,
                session: session.id,
                at: now,
                naming: deployment.federation.providers.names,
                in: tx
            )
            return (session, body)
        }
        await deployment.touch(session, context)
        var response = Response.json(body.serialized)
        response.headers[.contentDisposition] = "attachment; filename=\"account.json\""
        return response
    }

    /// Changes the display name, the user name, or both.
    ///
    /// A person at an unlocked screen must not be able to change the user name, because the owner needs it to sign in.
    private func rename(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let fields = try JSONFields(await request.jsonBody())
        let username = try fields.optionalString("username").map { text throws(APIError) in
            try PublicText.username(text)
        }
        let displayName = try fields.optionalString("displayName").map { text throws(APIError) in
            try PublicText.displayName(text)
        }
        guard username != nil || displayName != nil else {
            throw APIError(.malformedRequest, "\"username\" and \"displayName\" are both missing.")
        }
        let account = try await deployment.store.write { tx in
            var (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            if let username {
                _ = try await deployment.recentlySignedIn(presented, at: now, in: tx)
                // The user may write their own name with other capitals.
                if username.mapped != account.username.mapped { try deployment.names.check(username) }
                account.username = username
            }
            if let displayName { account.displayName = displayName }
            guard try await tx.update(account) else { throw APIError.notSignedIn }
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.accountRenamed, at: now, of: account.id, details: details))
            return account
        }
        let body: JSONValue = ["account": JSONValue(account)]
        return .json(body.serialized)
    }

    /// Deletes the account with its passkeys, password and sessions.
    private func delete(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            try await deployment.tell(.accountDeleted, account, at: now, in: tx)
            guard try await tx.deleteAccount(id: account.id) else { throw APIError.notSignedIn }
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.accountDeleted, at: now, of: account.id, details: details))
        }
        return deployment.signedOut(request)
    }
}

extension Deployment {
    /// Whether the account has a password.
    func hasPassword(_ account: AccountID, in tx: some AccountTransaction) async throws -> Bool {
        guard acceptsPasswords else { return false }
        return try await tx.password(of: account) != nil
    }
}
