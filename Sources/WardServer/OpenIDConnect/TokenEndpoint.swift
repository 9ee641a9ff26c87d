import Crypto
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The token endpoint: RFC 6749, [section 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2).
///
/// Codes, access tokens and refresh tokens are random, and the store has their hashes. What is given and what is used up is one
/// transaction; the ID token is signed after it.
struct TokenEndpoint<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// How long a refresh token can be used once more, in seconds, if the answer to its first use was lost.
    static var lostAnswer: Int64 { 30 }
    /// The ways to get tokens.
    static var grantTypes: [String] { ["authorization_code", "refresh_token", deviceGrant] }

    func add(to router: WardRouter) {
        router.post("/oidc/token") { request, context in
            try await deployment.answering(context) { try await answer(request, context) }
        }
    }

    private func answer(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (call, fields) = try await deployment.clientCall(request, context)
        guard let type = fields["grant_type"] else { throw OAuthError.invalidRequest("grant_type is missing.") }
        let now = deployment.effects.now()
        let issue = Issue(deployment.effects.randomBytes, at: now)
        let outcome = try await deployment.store.write { tx -> Result<Issued, OAuthError> in
            // Nothing below throws a refusal: that would take back what is used up or ended.
            switch try await call.client(at: now, in: tx) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let client):
                switch type {
                case "authorization_code": return try await take(fields, client, issue, in: tx)
                case "refresh_token": return try await refresh(fields, client, issue, in: tx)
                case Self.deviceGrant: return try await poll(fields, client, issue, in: tx)
                default:
                    let known = Self.grantTypes.joined(separator: ", ")
                    return .failure(OAuthError("unsupported_grant_type", "grant_type must be one of \(known)."))
                }
            }
        }
        return try await outcome.get().response(issuer: deployment.page)
    }

    // MARK: Codes

    /// Uses a code up.
    ///
    /// Each try of the client that it was issued to uses it up. A second one ends what the first one gave
    /// ([section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)).
    private func take(
        _ fields: FormFields,
        _ client: OAuthClient,
        _ issue: Issue,
        in tx: Store.Transaction
    ) async throws -> Result<Issued, OAuthError> {
        guard let code = fields["code"] else { return .failure(.invalidRequest("code is missing.")) }
        guard let hash = SessionToken(text: code)?.hash, let grant = try await tx.oauthGrant(codeHash: hash),
            grant.clientID == client.id
        else { return .failure(Self.codeNotValid) }
        guard grant.codeUsedAt == nil else {
            try await end(grant, at: issue.now, in: tx)
            return .failure(Self.codeNotValid)
        }
        guard grant.isCodeCurrent(at: issue.now), fields["redirect_uri"] == grant.redirectURI,
            let verifier = fields["code_verifier"], Self.isVerifier(verifier),
            isEqualInConstantTime(Array(SHA256.hash(data: Array(verifier.utf8))), grant.codeChallenge),
            let (session, account) = try await tx.signedIn(
                tx.session(id: grant.sessionID),
                under: deployment.sessionRules,
                at: issue.now
            )
        else {
            try await tx.deleteOAuthGrant(codeHash: grant.codeHash)
            return .failure(Self.codeNotValid)
        }
        let issued = try await issue.tokens(grant, for: client, session, account, nonce: grant.nonce, in: tx)
        try await tx.append(AuditEvent(.clientSignedIn, at: issue.now, of: account.id))
        return .success(issued)
    }

    /// RFC 7636, [section 4.1](https://www.rfc-editor.org/rfc/rfc7636#section-4.1).
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && FormFields.encode(text) == text
    }

    private static var codeNotValid: OAuthError {
        .invalidGrant("The code was used, has expired, or is not of this client, redirect URI and code_verifier.")
    }

    // MARK: Refresh tokens

    /// Replaces a refresh token.
    ///
    /// A token that was used ends all tokens of its grant: one of two users is a thief
    /// (RFC 9700, [section 4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). The answer to an honest client
    /// can be lost, and then it asks once more. So a token counts as not used within ``lostAnswer`` while nobody used its
    /// successor: it gets another successor, and the first one counts as used. At each moment one token of the grant works.
    private func refresh(
        _ fields: FormFields,
        _ client: OAuthClient,
        _ issue: Issue,
        in tx: Store.Transaction
    ) async throws -> Result<Issued, OAuthError> {
        guard let text = fields["refresh_token"] else { return .failure(.invalidRequest("refresh_token is missing.")) }
        guard let hash = SessionToken(text: text)?.hash, var token = try await tx.oauthToken(hash: hash),
            token.kind == .refresh, let grant = try await tx.oauthGrant(codeHash: token.grant),
            grant.clientID == client.id, !token.isExpired(at: issue.now)
        else { return .failure(Self.tokenNotValid) }
        if let scope = fields["scope"], !Set(scope.split(separator: " ").map(String.init)).isSubset(of: grant.scopes) {
            return .failure(OAuthError("invalid_scope", "scope has more than the person allowed."))
        }
        if let replacedAt = token.replacedAt {
            guard (replacedAt..<(replacedAt + Self.lostAnswer)).contains(issue.now),
                var successor = try await tx.oauthToken(hash: token.successor ?? []), successor.replacedAt == nil
            else {
                try await end(grant, at: issue.now, in: tx)
                return .failure(Self.tokenNotValid)
            }
            successor.replacedAt = .min
            try await tx.update(successor)
        }
        guard
            let (session, account) = try await tx.signedIn(
                tx.session(id: grant.sessionID),
                under: deployment.sessionRules,
                at: issue.now
            )
        else {
            return .failure(Self.tokenNotValid)
        }
        let limits = deployment.limits
        _ = try await tx.touchSession(
            id: session.id,
            lastSeenAt: issue.now,
            idleExpiresAt: limits.idleExpiry(at: issue.now)
        )
        token.replacedAt = token.replacedAt ?? issue.now
        token.successor = issue.refresh.hash
        try await tx.update(token)
        return .success(try await issue.tokens(grant, for: client, session, account, nonce: nil, in: tx))
    }

    private static var tokenNotValid: OAuthError {
        .invalidGrant("The refresh token was used, has ended, or is not of this client.")
    }

    /// Ends all that came from a grant, because something was used twice.
    func end(_ grant: OAuthGrant, at now: Int64, in tx: Store.Transaction) async throws {
        let account = try await tx.session(id: grant.sessionID)?.accountID
        try await tx.end(grant)
        try await tx.append(AuditEvent(.grantReused, at: now, of: account))
    }
}
