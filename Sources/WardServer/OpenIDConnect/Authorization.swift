import Hummingbird
import WardAccounts
import WardWebAuthn

/// What happens to a request for a sign-in.
enum AuthorizationStep: Sendable {
    /// The person signs in first; again if the client wants another sign-in than the one that the browser has.
    case signIn(AuthorizationRequest, isAgain: Bool)
    /// The person signs in again, even if the browser has a session.
    case signInAgain(SessionID?)
    /// The person agrees first.
    case consent(AuthorizationRequest, Account)
    /// Nothing is missing.
    case grant(AuthorizationRequest, Session, Account)
}

/// The decision about a request: OpenID Connect Core 1.0,
/// [section 3.1.2.3](https://openid.net/specs/openid-connect-core-1_0.html#Authenticates).
struct Authorization<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// Decides what comes next.
    ///
    /// - Parameters:
    ///   - fields: The request.
    ///   - hint: The account of the client's ID token, `nil` if the client sent none.
    ///   - presented: What the browser shows of its session.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The step.
    /// - Throws: ``APIError`` for the person, ``AuthorizationRefusal`` for the client.
    func step(
        _ fields: FormFields,
        hint: AccountID?,
        _ presented: PresentedSession?,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> AuthorizationStep {
        let request = try await AuthorizationRequest(fields, in: tx)
        let isSilent = request.prompt.contains("none")
        let signedIn = try await tx.opened(by: presented, under: deployment.sessionRules, at: now)
        let isNew = deployment.beginnings.isAnswered(fields, by: signedIn?.session.id, at: now)
        guard let (session, account) = signedIn else {
            if isSilent { throw request.refused("login_required", "Nobody is signed in.") }
            return isNew == nil && request.needsSignIn ? .signInAgain(nil) : .signIn(request, isAgain: false)
        }
        let authentication = try await Authentication(of: session, in: tx)
        let isRight = hint.map { $0 == account.id } ?? true
        if try !isEnough(authentication, of: session, for: request, isNew: isNew ?? false, at: now) || !isRight {
            guard !isSilent, isNew != true else {
                throw request.refused("login_required", "Another sign-in is needed.")
            }
            return isNew == nil ? .signInAgain(session.id) : .signIn(request, isAgain: true)
        }
        if try await needsConsent(request, of: account, in: tx) {
            if isSilent { throw request.refused("consent_required", "The person has not agreed yet.") }
            return .consent(request, account)
        }
        return .grant(request, session, account)
    }

    /// Whether the sign-in is as new and as strong as the client wants.
    ///
    /// - Throws: ``AuthorizationRefusal`` if no sign-in can be (RFC 9470,
    ///   [section 5](https://www.rfc-editor.org/rfc/rfc9470#section-5)).
    private func isEnough(
        _ authentication: Authentication,
        of session: Session,
        for request: AuthorizationRequest,
        isNew: Bool,
        at now: Int64
    ) throws(AuthorizationRefusal) -> Bool {
        if !authentication.satisfies(request.acrValues) {
            let canBe = request.acrValues.contains { Authentication.Context(rawValue: $0) != nil }
            guard canBe, !isNew else {
                throw request.refused("unmet_authentication_requirements", "The sign-in is not one of acr_values.")
            }
            return false
        }
        if isNew { return true }
        if request.asksForSignIn { return false }
        guard let maxAge = request.maxAge else { return true }
        // A sign-in from the future is not new: the clock was wrong then, or is wrong now.
        return session.authenticatedAt <= now && now - session.authenticatedAt <= maxAge
    }

    private func needsConsent(
        _ request: AuthorizationRequest,
        of account: Account,
        in tx: Store.Transaction
    ) async throws -> Bool {
        if request.prompt.contains("consent") { return true }
        if request.client.isFirstParty { return false }
        let given = try await tx.oauthConsent(of: account.id, to: request.client.id)?.scopes ?? []
        return !Set(request.scopes).isSubset(of: given)
    }

    /// Gives the client a code, in the transaction that decided.
    ///
    /// - Returns: The address with the code.
    func grant(
        _ request: AuthorizationRequest,
        _ session: Session,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> String {
        let code = SessionToken.random(using: deployment.effects.randomBytes)
        let authentication = try await Authentication(of: session, in: tx)
        let counter = Counter(.codes, of: session.accountID.bytes, deployment.tryLimits.codes)
        try await counter.check(at: now, in: tx)
        try await counter.add(at: now, in: tx)
        try await tx.insert(
            OAuthGrant(
                codeHash: code.hash,
                clientID: request.client.id,
                sessionID: session.id,
                scopes: request.scopes,
                redirectURI: request.redirectURI,
                codeChallenge: request.codeChallenge,
                nonce: request.nonce,
                authenticatedAt: session.authenticatedAt,
                acr: authentication.context?.rawValue,
                amr: authentication.methods,
                createdAt: now,
                expiresAt: now + OAuthGrant.codeLifetime
            )
        )
        return request.target.location([("code", code.text)], issuer: deployment.page)
    }

    /// The account that an ID token of the client names.
    ///
    /// - Throws: ``APIError`` with `malformed_request` if the service did not sign it.
    func hint(_ fields: FormFields, at now: Int64) async throws -> AccountID? {
        guard let token = fields["id_token_hint"] else { return nil }
        let keys = try await deployment.store.read { IDTokenKeys(try await $0.idTokenKeys()) }
        guard let claims = await keys.verified(token, at: now), let account = AccountID(text: claims.sub) else {
            throw APIError(
                .malformedRequest,
                "The app sent an ID token that is not of this service, or is too old. Open the app again."
            )
        }
        return account
    }
}
