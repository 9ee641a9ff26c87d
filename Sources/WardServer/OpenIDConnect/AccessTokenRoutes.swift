import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// What clients and services ask about tokens, and how clients end them.
struct AccessTokenRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/oidc/userinfo") { request, _ in try await userInfo(request, nil) }
        router.post("/oidc/userinfo") { request, _ in try await userInfo(request, request.formBody()) }
        router.post("/oidc/revoke") { request, context in
            try await deployment.answering(context) { try await revoke(request, context) }
        }
        router.post("/oidc/introspect") { request, context in
            try await deployment.answering(context) { try await introspect(request, context) }
        }
    }

    // MARK: Who the person is

    /// OpenID Connect Core 1.0, [section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo).
    private func userInfo(_ request: Request, _ form: FormFields?) async throws -> Response {
        let inForm = form?["access_token"]
        guard request.usesBearerToken || inForm != nil else { return Self.unauthorized("") }
        // RFC 6750, section 2: one way only.
        guard !(request.headers[.authorization] != nil && inForm != nil) else {
            return Self.unauthorized(", error=\"invalid_request\"", .badRequest)
        }
        let (token, now) = (request.bearerToken ?? inForm.flatMap { SessionToken(text: $0) }, deployment.effects.now())
        let found = try await deployment.store.read { tx -> (OAuthGrant, Account, EmailAddress?)? in
            guard let (_, grant, _, account) = try await live(token?.hash, at: now, in: tx) else { return nil }
            let isAsked = grant.scopes.contains("email")
            return (grant, account, isAsked ? try await tx.email(of: account.id)?.confirmed?.address : nil)
        }
        guard let (grant, account, email) = found else { return Self.unauthorized(", error=\"invalid_token\"") }
        var claims: [JSONValue.Member] = [.init("sub", .string(account.id.text))]
        if grant.scopes.contains("profile") {
            claims.append(.init("name", .string(account.displayName)))
            claims.append(.init("preferred_username", .string(account.username.mapped)))
        }
        if grant.scopes.contains("groups") {
            claims.append(.init("groups", .array(account.groups.map { .string($0.text) })))
        }
        // Section 5.1. An address that nobody has confirmed is told to nobody.
        if let email {
            claims.append(.init("email", .string(email.text)))
            claims.append(.init("email_verified", true))
        }
        return .json(JSONValue.object(claims).serialized)
    }

    /// RFC 6750, [section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3).
    private static func unauthorized(_ error: String, _ status: HTTPResponse.Status = .unauthorized) -> Response {
        var response = Response.json(JSONValue.object([]).serialized, status: status)
        response.headers[.wwwAuthenticate] = "Bearer realm=\"userinfo\"\(error)"
        return response
    }

    private func live(
        _ hash: [UInt8]?,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (OAuthToken, OAuthGrant, Session, Account)? {
        guard let hash, let token = try await tx.oauthToken(hash: hash), token.kind == .access,
            !token.isExpired(at: now), let grant = try await tx.oauthGrant(codeHash: token.grant),
            let (session, account) = try await tx.signedIn(
                tx.session(id: grant.sessionID),
                under: deployment.sessionRules,
                at: now
            )
        else { return nil }
        return (token, grant, session, account)
    }

    // MARK: Ending

    /// Ends a token: RFC 7009, [section 2](https://www.rfc-editor.org/rfc/rfc7009#section-2).
    ///
    /// A refresh token ends all tokens of its grant.
    private func revoke(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (call, fields) = try await deployment.clientCall(request, context)
        let now = deployment.effects.now()
        let refusal = try await deployment.store.write { tx -> OAuthError? in
            let client: OAuthClient
            switch try await call.client(at: now, in: tx) {
            case .failure(let refusal): return refusal
            case .success(let found): client = found
            }
            guard let text = fields["token"] else { return .invalidRequest("token is missing.") }
            // A token that is not valid is ended already.
            guard let hash = SessionToken(text: text)?.hash, let token = try await tx.oauthToken(hash: hash),
                let grant = try await tx.oauthGrant(codeHash: token.grant)
            else { return nil }
            guard grant.clientID == client.id else {
                return OAuthError("unauthorized_client", "The token is not of this client.")
            }
            switch token.kind {
            case .access: try await tx.deleteOAuthToken(hash: hash)
            case .refresh: try await tx.end(grant)
            }
            return nil
        }
        if let refusal { throw refusal }
        return Response(status: .ok)
    }

    // MARK: Services that clients call

    /// Says what an access token is worth: RFC 7662, [section 2](https://www.rfc-editor.org/rfc/rfc7662#section-2), with the
    /// members of RFC 9470.
    ///
    /// Only clients with a secret may ask.
    private func introspect(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (call, fields) = try await deployment.clientCall(request, context)
        let (now, issuer) = (deployment.effects.now(), deployment.page)
        let body = try await deployment.store.write { tx -> Result<JSONValue, OAuthError> in
            switch try await call.client(at: now, in: tx) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let client):
                guard client.secretHash != nil else {
                    return .failure(OAuthError("unauthorized_client", "Only a client with a secret may ask."))
                }
            }
            guard let text = fields["token"] else { return .failure(.invalidRequest("token is missing.")) }
            guard let found = try await live(SessionToken(text: text)?.hash, at: now, in: tx) else {
                return .success(["active": false])
            }
            let (token, grant, _, account) = found
            var members: [JSONValue.Member] = [
                .init("active", true), .init("iss", .string(issuer)), .init("sub", .string(account.id.text)),
                .init("client_id", .string(grant.clientID)), .init("token_type", "Bearer"),
                .init("scope", .string(grant.scopes.joined(separator: " "))), .init("iat", .integer(token.createdAt)),
                .init("exp", .integer(token.expiresAt)), .init("auth_time", .integer(grant.authenticatedAt)),
            ]
            if grant.scopes.contains("profile") {
                members.append(.init("username", .string(account.username.mapped)))
            }
            if let acr = grant.acr { members.append(.init("acr", .string(acr))) }
            return .success(.object(members))
        }
        return .json(try body.get().serialized)
    }
}
