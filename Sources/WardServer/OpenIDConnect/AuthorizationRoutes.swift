import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The authorization endpoint, and the call of the page where a person agrees.
///
/// The page itself belongs to ``PageRoutes``.
struct AuthorizationRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// The authorization endpoint.
    static var path: String { "/oidc/authorize" }

    func add(to router: WardRouter) {
        router.post("/oidc/authorize") { request, _ in try await takeForm(request) }
        router.post("/api/v1/authorization") { request, _ in try await decide(request) }
    }

    /// A request in a form goes on as one in an address: then the page can come back to it after the sign-in.
    ///
    /// With 303 a browser
    /// forgets the form (RFC 9700, [section 4.12](https://www.rfc-editor.org/rfc/rfc9700#section-4.12)).
    private func takeForm(_ request: Request) async throws -> Response {
        guard let fields = try await request.formBody() else {
            throw APIError(.malformedRequest, "The app sent a request that cannot be read.")
        }
        return Response.redirect(to: "\(Self.path)?\(fields.text)", type: .normal)
    }

    /// The person agrees, or not.
    private func decide(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let body = try JSONFields(try await request.jsonBody())
        let fields = FormFields(try body.string("request"))
        guard let isAllowed = body["allow"]?.boolValue else {
            throw APIError(.malformedRequest, "\"allow\" must be true or false.")
        }
        guard let presented = deployment.shownCookies(in: request) else { throw APIError.notSignedIn }
        let (authorization, now) = (Authorization(deployment: deployment), deployment.effects.now())
        let hint = try await authorization.hint(fields, at: now)
        let location: String
        do {
            location = try await deployment.store.write { tx in
                switch try await authorization.step(fields, hint: hint, presented, at: now, in: tx) {
                case .signIn, .signInAgain:
                    throw APIError.notSignedIn
                case .grant(let request, let session, _):
                    return try await authorization.grant(request, session, at: now, in: tx)
                case .consent(let request, let account):
                    guard isAllowed else {
                        try await tx.deleteOAuthConsent(of: account.id, to: request.client.id)
                        let refusal = request.refused("access_denied", "The person did not agree.")
                        return refusal.location(issuer: deployment.page)
                    }
                    try await tx.setOAuthConsent(
                        OAuthConsent(
                            accountID: account.id,
                            clientID: request.client.id,
                            scopes: request.scopes,
                            createdAt: now
                        )
                    )
                    let (session, _) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
                    return try await authorization.grant(request, session, at: now, in: tx)
                }
            }
        } catch let refusal as AuthorizationRefusal {
            location = refusal.location(issuer: deployment.page)
        }
        let answer: JSONValue = ["location": .string(location)]
        return .json(answer.serialized)
    }
}

extension Deployment {
    /// What the page at the authorization endpoint does for a request.
    func continueAuthorization(_ request: Request) async throws -> PageContinuation {
        let (fields, now) = (FormFields(request), effects.now())
        let authorization = Authorization(deployment: self)
        let presented = shownCookies(in: request)
        do {
            let hint = try await authorization.hint(fields, at: now)
            let step = try await store.read { tx in
                try await authorization.step(fields, hint: hint, presented, at: now, in: tx)
            }
            switch step {
            case .signIn(let wish, let isAgain):
                let query = fields.text(without: "lang")
                let needsPasskey = !wish.acrValues.isEmpty
                return .signIn(
                    PageApp(
                        host: wish.client.name,
                        query: query,
                        loginHint: wish.loginHint,
                        needsPasskey: needsPasskey,
                        asksAgain: isAgain
                    )
                )
            case .signInAgain(let session):
                let query = beginnings.query(fields, session, at: now)
                return .finish(to: "\(AuthorizationRoutes<Store>.path)?\(query)")
            case .consent(let wish, let account):
                return .consent(PageConsent(wish, account, query: fields.text(without: "lang")))
            case .grant:
                // The same decision once more, in the transaction that gives the code.
                let location = try await store.write { tx -> String? in
                    let step = try await authorization.step(fields, hint: hint, presented, at: now, in: tx)
                    guard case .grant(let wish, let session, _) = step else { return nil }
                    return try await authorization.grant(wish, session, at: now, in: tx)
                }
                return .finish(to: location ?? "\(AuthorizationRoutes<Store>.path)?\(fields.text)")
            }
        } catch let refusal as AuthorizationRefusal {
            return .finish(to: refusal.location(issuer: page))
        }
    }
}

extension PageConsent {
    fileprivate init(_ wish: AuthorizationRequest, _ account: Account, query: String) {
        self.init(
            client: wish.client.name,
            place: RedirectURI.place(wish.redirectURI),
            username: account.username.text,
            scopes: wish.scopes,
            query: query
        )
    }
}
