import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API that lists the account's sessions and ends them.
struct SessionAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/sessions") { try await list($0, $1) }
        router.delete("/api/v1/account/sessions") { try await endOthers($0, $1) }
        router.delete("/api/v1/account/sessions/{id}") { try await end($0, $1) }
        router.post("/api/v1/sign-out") { try await signOut($0, $1) }
    }

    /// One page of the list of sessions: `?limit=` is the number of sessions, and `?after=` is the last ID of the page before.
    private func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let page = try ListPage(request, of: "a session", upTo: SessionLimits.perAccount) { SessionID(text: $0) != nil }
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (current, sessions, addresses) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            let sessions = try await tx.openSessions(of: account, under: deployment.sessionRules, at: now)
            let addresses = deployment.auditsAddresses ? try await tx.signInAddresses(of: account.id) : [:]
            return (session, sessions, addresses)
        }
        await deployment.touch(current, context)
        let (shown, next) = page.cut(sessions) { $0.id.text }
        let body: JSONValue = [
            "sessions": .array(
                shown.map { JSONValue($0, isCurrent: $0.id == current.id, from: addresses[$0.id]) }
            ), "next": next,
        ]
        return .json(body.serialized)
    }

    /// Ends all sessions but the caller's own, in one transaction.
    private func endOthers(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let count = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            try await deployment.checkMayEndOthers(account.id, presented, at: now, in: tx)
            var count = 0
            for other in try await tx.sessions(of: account.id) where other.id != session.id {
                let isGone = try await tx.deleteSession(id: other.id, of: account.id)
                if isGone, !other.isExpired(at: now) { count += 1 }
            }
            if count > 0 {
                let details = deployment.auditDetails(session.id, request, context)
                try await tx.append(AuditEvent(.sessionsEnded, at: now, of: account.id, details: details))
            }
            return count
        }
        let body: JSONValue = ["ended": .integer(Int64(count))]
        return .json(body.serialized)
    }

    private func end(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let id = context.parameters.get("id").flatMap { SessionID(text: $0) }
        let current = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            if id != session.id { try await deployment.checkMayEndOthers(account.id, presented, at: now, in: tx) }
            guard let id, try await tx.deleteSession(id: id, of: account.id) else {
                throw APIError(.notFound, "The account has no session with this ID.")
            }
            let what: AuditEvent.Kind = id == session.id ? .signedOut : .sessionsEnded
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(what, at: now, of: account.id, details: details))
            return session.id
        }
        return id == current ? deployment.signedOut(request) : Response(status: .noContent)
    }

    /// Signs out.
    ///
    /// If there is no session, the answer is the same.
    private func signOut(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        if let token = deployment.sessionToken(in: request) {
            let now = deployment.effects.now()
            try await deployment.store.write { tx in
                guard let session = try await tx.session(tokenHash: token.hash) else { return }
                try await tx.deleteSession(tokenHash: token.hash)
                let details = deployment.auditDetails(session.id, request, context)
                try await tx.append(AuditEvent(.signedOut, at: now, of: session.accountID, details: details))
            }
        }
        return deployment.signedOut(request)
    }
}

extension Deployment {
    /// Checks that the caller may end other sessions.
    ///
    /// It needs more proof than a sign-out, because a thief could lock out the owner.
    fileprivate func checkMayEndOthers(
        _ account: AccountID,
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        guard try await tx.hasProvenPasskey(account) else { return }
        _ = try await recentlySignedIn(presented, at: now, in: tx)
    }
}
