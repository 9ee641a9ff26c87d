import Hummingbird
import WardAccounts
import WardWebAuthn

/// Signing out at the wish of a client: OpenID Connect RP-Initiated Logout 1.0,
/// [section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout).
///
/// The page itself belongs to ``PageRoutes``.
struct LogoutRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// The end session endpoint.
    static var path: String { "/oidc/logout" }

    func add(to router: WardRouter) {
        router.post("/oidc/logout") { request, _ in
            guard let fields = try await request.formBody() else {
                throw APIError(.malformedRequest, "The app sent a request that cannot be read.")
            }
            return Response.redirect(to: "\(Self.path)?\(fields.text)", type: .normal)
        }
    }
}

extension Deployment {
    /// What the page at the end session endpoint does for a request.
    ///
    /// With an ID token of the person who is signed in, the session ends at once. Otherwise the person is asked: any page can lead
    /// a browser here. People return only to an address that the client registered.
    func continueLogout(_ request: Request) async throws -> PageContinuation {
        let (fields, now) = (FormFields(request), effects.now())
        let presented = shownCookies(in: request)
        let hint = fields["id_token_hint"]
        let keys = try await store.read { IDTokenKeys(try await $0.idTokenKeys()) }
        let claims: IDTokenClaims? = if let hint { await keys.verified(hint, at: now) } else { nil }
        let named = fields["client_id"]
        let isConsistent = claims == nil || named == nil || claims?.aud == named
        return try await store.write { tx in
            let id = claims?.aud ?? (hint == nil ? named : nil)
            let client: OAuthClient? =
                if let id, isConsistent, !fields.isMalformed { try await tx.oauthClient(id: id) } else { nil }
            var place: String?
            if let client, let uri = fields["post_logout_redirect_uri"],
                RedirectURI.isRegistered(uri, in: client.postLogoutRedirectURIs)
            {
                place = AuthorizationRefusal.Target(uri: uri, state: fields["state"]).address
            }
            guard let (session, account) = try await tx.opened(by: presented, under: sessionRules, at: now) else {
                return .finish(to: place ?? "/")
            }
            guard client != nil, let claims, claims.sub == account.id.text else {
                return .signOut(
                    PageSignOut(client: client?.name, place: place ?? "/", query: fields.text(without: "lang"))
                )
            }
            _ = try await tx.deleteSession(tokenHash: session.tokenHash)
            try await tx.append(AuditEvent(.signedOut, at: now, of: account.id))
            return .finish(to: place ?? "/", clearing: cookie.clearing)
        }
    }
}
