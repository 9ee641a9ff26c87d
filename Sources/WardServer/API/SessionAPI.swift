import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API that lists the account's sessions and ends them.
struct SessionAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/sessions") { request, _ in try await list(request) }
        router.delete("/api/v1/account/sessions/{id}") { try await end($0, $1) }
        router.post("/api/v1/sign-out") { request, _ in try await signOut(request) }
    }

    private func list(_ request: Request) async throws -> Response {
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let (current, sessions) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(tokenHash, at: now)
            return (session, try await tx.sessions(of: account.id).filter { !$0.isExpired(at: now) })
        }
        try await deployment.touch(current)
        let body: JSONValue = [
            "sessions": .array(sessions.map { JSONValue($0, isCurrent: $0.id == current.id) })
        ]
        return .json(body.serialized)
    }

    private func end(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let id = context.parameters.get("id").flatMap { SessionID(text: $0) }
        let current = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(tokenHash, at: now)
            // Ending the own session is signing out. Ending another one would shut out the owner.
            if id != session.id, try await tx.hasProvenPasskey(account.id) {
                _ = try await tx.recentlySignedIn(tokenHash, at: now)
            }
            guard let id, try await tx.deleteSession(id: id, of: account.id) else {
                throw APIError(.notFound, "The account has no session with this ID.")
            }
            return session.id
        }
        let response = Response(status: .noContent)
        return id == current ? response.setting(deployment.cookie.clearing) : response
    }

    /// Signs out.
    ///
    /// Without a session the answer is the same.
    private func signOut(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        if let token = deployment.cookie.token(in: request) {
            _ = try await deployment.store.write { try await $0.deleteSession(tokenHash: token.hash) }
        }
        return Response(status: .noContent).setting(deployment.cookie.clearing)
    }
}
