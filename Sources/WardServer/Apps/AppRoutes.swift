import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The routes for proxies in front of apps, and the routes below `/.ward/` that such a proxy forwards from the app's host.
struct AppRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// Accepts the code, at the app's host.
    static var callback: String { "/.ward/callback" }

    func add(to router: WardRouter) {
        router.get("/api/v1/session") { try await check($0, $1) }
        router.get("/.ward/callback") { request, _ in try await begin(request) }
        router.post("/.ward/sign-out") { try await signOut($0, $1) }
    }

    // MARK: Each request for an app

    /// Tells the proxy who sends the request.
    ///
    /// Without a session it answers 401, or 302 to the sign-in page if a person opens a page. If the proxy names groups, an
    /// account that is in none of them gets 403.
    private func check(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (redirects, groups) = (try Self.redirects(request), try Self.groups(request))
        let app = try deployment.apps.app(of: request)
        let (content, now) = (AppCookie(of: app).content(of: request), deployment.effects.now())
        var found: (session: Session, account: Account)?
        if case .session(let token) = content {
            found = try await deployment.store.read {
                try await $0.signedIn(app: app, token.hash, under: deployment.sessionRules, at: now)
            }
        }
        guard let (session, account) = found else {
            guard redirects, Self.isNavigation(request) else { throw APIError.notSignedIn }
            return try signIn(request, app, content)
        }
        guard groups.isEmpty || !groups.isDisjoint(with: account.groups) else {
            throw APIError(
                .groupRequired,
                "Your account may not open this app. Ask the people who run it to add you to one of its groups."
            )
        }
        await deployment.touch(session, context)
        return Response.identity(account)
    }

    private static func redirects(_ request: Request) throws(APIError) -> Bool {
        switch request.uri.queryParameters["sign_in"] {
        case nil: return false
        case "redirect": return true
        default: throw APIError(.malformedRequest, "\"sign_in\" must be \"redirect\" or absent.")
        }
    }

    /// The groups whose accounts may open the app; none if all accounts may.
    ///
    /// A misspelt setting of the proxy opens the app to nobody.
    private static func groups(_ request: Request) throws(APIError) -> Set<GroupName> {
        var groups: Set<GroupName> = []
        for text in request.uri.queryParameters.getAll("group") {
            do { groups.insert(try GroupName(text)) } catch {
                throw APIError(.malformedRequest, "\"group\": \(error)")
            }
        }
        return groups
    }

    /// Whether a person opens a page.
    ///
    /// Scripts and forms get 401, because they cannot use a sign-in page.
    private static func isNavigation(_ request: Request) -> Bool {
        guard ["GET", "HEAD", nil].contains(request.headers[.forwardedMethod]) else { return false }
        if let mode = request.headers[.fetchMode] { return mode == "navigate" }
        return request.headers[.accept]?.contains("text/html") == true
    }

    /// Redirects the browser to the sign-in page, with a secret that only this browser has.
    private func signIn(_ request: Request, _ app: WebOrigin, _ content: AppCookie.Content?) throws -> Response {
        // If several tabs start at the same time, they share the secret.
        let secret: SessionToken
        if case .beginning(let begun) = content {
            secret = begun
        } else {
            secret = .random(using: deployment.effects.randomBytes)
        }
        let wanted = request.headers.only(.forwardedURI).flatMap { deployment.apps.place("\(app)\($0)") }
        let place = wanted ?? AppPlace(origin: app, address: "\(app)/")
        let visit = AppVisit(to: place, from: secret.hash)
        return Response.redirect(to: "\(deployment.page)\(AppVisit.path)?\(visit.query)", type: .found)
            .setting(AppCookie(of: app).beginning(secret))
    }

    // MARK: At the app's host

    /// Deletes a code, and starts the session at the app's host.
    ///
    /// The first request with a code deletes it, even if that request is refused.
    private func begin(_ request: Request) async throws -> Response {
        let app = try deployment.apps.app(of: request)
        let cookie = AppCookie(of: app)
        let content = cookie.content(of: request)
        guard let code = request.uri.queryParameters["code"].flatMap({ SessionToken(text: String($0)) }) else {
            throw APIError.codeNotValid
        }
        let (token, now) = (SessionToken.random(using: deployment.effects.randomBytes), deployment.effects.now())
        let begun = try await deployment.store.write { tx -> (address: String, isNew: Bool)? in
            // No refusal is thrown below, because that would roll back the deletion of the code.
            guard let code = try await tx.takeCeremony(id: code.hash).flatMap({ AppCode($0) }), code.isCurrent(at: now),
                deployment.apps.place(code.address)?.origin == app
            else { return nil }
            switch content {
            case .beginning(let secret):
                guard isEqualInConstantTime(secret.hash, code.browser),
                    let (session, _) = try await tx.signedIn(
                        tx.session(id: code.session),
                        under: deployment.sessionRules,
                        at: now
                    )
                else { return nil }
                try await tx.insert(
                    AppSession(tokenHash: token.hash, sessionID: session.id, origin: "\(app)", createdAt: now)
                )
                return (code.address, true)
            case .session(let token):
                // Another tab of this browser has already used the code.
                guard
                    try await tx.signedIn(app: app, token.hash, under: deployment.sessionRules, at: now)?.session.id
                        == code.session
                else {
                    return nil
                }
                return (code.address, false)
            case nil:
                return nil
            }
        }
        guard let begun else { throw APIError.codeNotValid }
        let response = Response.redirect(to: begun.address, type: .found)
        return begun.isNew ? response.setting(cookie.session(token, lifetime: deployment.limits.absolute)) : response
    }

    /// Signs out of the service and all apps, for a form of the app.
    private func signOut(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let app = try deployment.apps.app(of: request)
        _ = try OriginPolicy([.web(app)]).origin(of: request)
        let cookie = AppCookie(of: app)
        if case .session(let token) = cookie.content(of: request) {
            let now = deployment.effects.now()
            try await deployment.store.write { tx in
                guard
                    let session = try await tx.signedIn(app: app, token.hash, under: deployment.sessionRules, at: now)?
                        .session
                else { return }
                _ = try await tx.deleteSession(tokenHash: session.tokenHash)
                let details = deployment.auditDetails(session.id, request, context)
                try await tx.append(AuditEvent(.signedOut, at: now, of: session.accountID, details: details))
            }
        }
        return Response.redirect(to: "\(deployment.page)/").setting(cookie.clearing)
    }
}

extension AccountTransaction {
    /// The session and account of a token at an app's host.
    ///
    /// It is `nil` if the session has ended or belongs to another host.
    fileprivate func signedIn(
        app: WebOrigin,
        _ tokenHash: [UInt8],
        under rules: SessionRules,
        at now: Int64
    ) async throws -> (session: Session, account: Account)? {
        guard let found = try await appSession(tokenHash: tokenHash), found.origin == "\(app)" else { return nil }
        return try await signedIn(session(id: found.sessionID), under: rules, at: now)
    }
}

extension APIError {
    fileprivate static let codeNotValid = APIError(
        .codeNotValid,
        "This sign-in was already used, has expired, or was started in another browser. Open the app again."
    )
}

extension Response {
    /// The answer for a proxy, with the account in header fields.
    ///
    /// Bytes other than printable ASCII, and `%`, are percent-encoded. So two accounts never have the same name in the field,
    /// and no program reads the bytes in another encoding.
    fileprivate static func identity(_ account: Account) -> Response {
        let body: JSONValue = [
            "id": .string(account.id.text), "username": .string(account.username.mapped),
            "displayName": .string(account.displayName),
            "groups": .array(account.groups.map { .string($0.text) }),
        ]
        var response = Response.json(body.serialized)
        response.headers[.remoteID] = account.id.text
        response.headers[.remoteUser] = encoded(account.username.mapped)
        response.headers[.remoteName] = encoded(account.displayName)
        // The field is there for an account without groups too, so that a proxy replaces what a client sent.
        response.headers[.remoteGroups] = account.groups.map(\.text).joined(separator: ",")
        return response
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: "%") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hex.encode([byte], uppercase: true)
            }
        }
    }
}
