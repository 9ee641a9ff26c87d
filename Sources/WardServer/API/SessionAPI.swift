import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API that lists the account's sessions and ends them.
struct SessionAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/sessions") { try await list($0, $1) }
        router.delete("/api/v1/account/sessions/{id}") { try await end($0, $1) }
        router.post("/api/v1/sign-out") { request, _ in try await signOut(request) }
    }

    /// One page of the sessions: `?limit=` says how many, `?after=` the last ID of the page before.
    private func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let page = try SessionPage(request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let (current, sessions) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(tokenHash, at: now)
            return (session, try await tx.sessions(of: account.id).filter { !$0.isExpired(at: now) })
        }
        await deployment.touch(current, context)
        let (shown, isMore) = page.cut(sessions)
        let body: JSONValue = [
            "sessions": .array(shown.map { JSONValue($0, isCurrent: $0.id == current.id) }),
            "next": isMore ? shown.last.map { .string($0.id.text) } ?? .null : .null,
        ]
        return .json(body.serialized)
    }

    private func end(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let id = context.parameters.get("id").flatMap { SessionID(text: $0) }
        let current = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(tokenHash, at: now)
            // Ending the own session is signing out. Ending another one would shut out the owner.
            if id != session.id, try await tx.hasProvenPasskey(account.id) {
                _ = try await deployment.recentlySignedIn(tokenHash, at: now, in: tx)
            }
            guard let id, try await tx.deleteSession(id: id, of: account.id) else {
                throw APIError(.notFound, "The account has no session with this ID.")
            }
            let what: AuditEvent.Kind = id == session.id ? .signedOut : .sessionsEnded
            try await tx.append(AuditEvent(what, at: now, of: account.id))
            return session.id
        }
        return id == current ? deployment.signedOut(request) : Response(status: .noContent)
    }

    /// Signs out.
    ///
    /// Without a session the answer is the same.
    private func signOut(_ request: Request) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        if let token = deployment.sessionToken(in: request) {
            let now = deployment.effects.now()
            try await deployment.store.write { tx in
                guard let session = try await tx.session(tokenHash: token.hash) else { return }
                try await tx.deleteSession(tokenHash: token.hash)
                try await tx.append(AuditEvent(.signedOut, at: now, of: session.accountID))
            }
        }
        return deployment.signedOut(request)
    }
}

/// The part of the list that a request asks for.
private struct SessionPage {
    private let after: SessionID?
    private let limit: Int

    init(_ request: Request) throws(APIError) {
        let query = request.uri.queryParameters
        limit = try Self.limit(query["limit"].map(String.init))
        guard let text = query["after"] else {
            after = nil
            return
        }
        guard let id = SessionID(text: String(text)) else {
            throw APIError(.malformedRequest, "\"after\" is not the ID of a session.")
        }
        after = id
    }

    private static func limit(_ text: String?) throws(APIError) -> Int {
        guard let text else { return SessionLimits.perAccount }
        guard let limit = UInt16(text), String(limit) == text, (1...SessionLimits.perAccount).contains(Int(limit))
        else {
            throw APIError(.malformedRequest, "\"limit\" must be 1 to \(SessionLimits.perAccount).")
        }
        return Int(limit)
    }

    /// The sessions of the page, and whether there are more.
    ///
    /// If the session before the page has ended meanwhile, the list begins again.
    func cut(_ sessions: [Session]) -> (shown: ArraySlice<Session>, isMore: Bool) {
        let start = after.flatMap { id in sessions.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let rest = sessions[start...]
        return (rest.prefix(limit), rest.count > limit)
    }
}
