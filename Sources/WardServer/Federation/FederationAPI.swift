import Hummingbird
import Logging
import WardAccounts
import WardText
import WardWebAuthn

/// The API of sign-ins at identity providers: begin one, take its answer, create an account with it, link it to an account.
///
/// Every call is a request of the service's own page with an `Origin`, so another page can begin nothing and answer nothing.
struct FederationAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    private var federation: Federation { deployment.federation }

    func add(to router: WardRouter) {
        router.post("/api/v1/sign-in/federated") { request, context in try await begin(request, context) }
        router.post("/api/v1/sign-in/federated/answer") { request, context in try await answer(request, context) }
        router.post("/api/v1/sign-in/federated/account") { request, context in try await create(request, context) }
        router.post("/api/v1/account/federated") { request, context in try await beginLink(request, context) }
        router.delete("/api/v1/account/federated/{id}") { request, context in try await unlink(request, context) }
        // Some providers post their answer. The browser sends no cookie with a form of another site, and this changes nothing: the
        // page gets the same answer in its address.
        router.post(RouterPath(Federation.callback)) { request, _ in try await moved(request) }
    }

    // MARK: Beginning

    private func begin(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let provider = try JSONFields(await request.jsonBody()).string("provider")
        return try await begun(at: provider, linking: nil, context)
    }

    /// Begins to link the signed-in account, which is a sensitive change.
    private func beginLink(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let provider = try JSONFields(await request.jsonBody()).string("provider")
        let session = try await deployment.store.read { tx in
            try await deployment.recentlySignedIn(presented, at: now, in: tx).session
        }
        return try await begun(at: provider, linking: session.id, context)
    }

    private func begun(
        at provider: String,
        linking session: SessionID?,
        _ context: WardRequestContext
    ) async throws -> Response {
        let client = try federation.client(of: provider)
        let metadata: ProviderMetadata
        do { metadata = try await client.currentMetadata() } catch { throw refused(error, at: provider, context) }
        let begun = FederatedVisit.Beginning(
            at: provider,
            linking: session,
            randomBytes: deployment.effects.randomBytes
        )
        let location = federation.location(begun, at: client.provider, metadata)
        let body: JSONValue = ["location": .string(location)]
        let cookie = try federation.cookie.setting(.begun(begun), at: deployment.effects.now())
        return Response.json(body.serialized).setting(cookie)
    }

    // MARK: The answer

    private func moved(_ request: Request) async throws -> Response {
        guard let fields = try await request.formBody(), !fields.isMalformed else {
            throw APIError(.malformedRequest, "The body must be a form.")
        }
        let known = ["state", "code", "iss", "error"].compactMap { name in
            fields[name].map { "\(name)=\(FormFields.encode($0))" }
        }
        return .redirect(to: "\(Federation.callback)?\(known.joined(separator: "&"))", type: .normal)
    }

    private func answer(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let answer = try ProviderAnswer(JSONFields(await request.jsonBody()))
        let now = deployment.effects.now()
        guard let content = federation.cookie.content(in: request, at: now), case .begun(let begun) = content.visit,
            begun.state.isSame(as: answer.state)
        else { throw APIError.flowNotValid }
        let identity: FederatedIdentity
        do {
            let client = try federation.client(of: begun.provider)
            do throws(FederationRefusal) {
                let code = try answer.code(from: client.provider, try await client.currentMetadata())
                identity = try await client.identity(
                    code: code,
                    verifier: begun.verifier,
                    nonce: begun.nonce,
                    redirectURI: federation.redirectURI
                )
            } catch {
                throw refused(error, said: answer.error, at: begun.provider, context)
            }
        } catch {
            try await used(content, at: now)
            throw error
        }
        guard let session = begun.linking else { return try await signIn(identity, content, request, context) }
        return try await link(identity, to: session, content, request, context)
    }

    /// Stores that an answer was refused, so that the sign-in cannot be answered again.
    private func used(_ content: FederatedCookie.Content, at now: Int64) async throws {
        guard deployment.ceremonies.admitsWrongAnswer(at: now) else { return }
        _ = try await deployment.store.write { tx in
            try await tx.insertUse(content.use, until: content.begunAt + FederatedVisit.lifetime)
        }
    }

    /// Uses up the visit, in the transaction of what it leads to.
    private func use(_ content: FederatedCookie.Content, in tx: Store.Transaction) async throws {
        let end = content.begunAt + FederatedVisit.lifetime + FederatedVisit.grace
        guard try await tx.insertUse(content.use, until: end) else { throw APIError.flowNotValid }
    }

    /// Signs in to the account that is linked, or remembers in the browser that none is.
    private func signIn(
        _ identity: FederatedIdentity,
        _ content: FederatedCookie.Content,
        _ request: Request,
        _ context: WardRequestContext
    ) async throws -> Response {
        let session = NewSession(deployment, request, context)
        let progress = try await deployment.store.write { tx -> SignInProgress? in
            let now = deployment.effects.now()
            try await use(content, in: tx)
            guard var record = try await tx.factor(.federated, key: identity.key),
                let account = try await tx.account(id: record.accountID)
            else { return nil }
            try account.checkEnabled()
            record.lastUsedAt = now
            try await tx.setFactor(record)
            return try await deployment.begin(
                .federated(link: identity.key),
                of: account,
                session,
                after: try await deployment.wrongPasswords(for: account, at: now, in: tx),
                onNewDevice: deployment.isNewDevice(request, of: account.id, at: now),
                at: now,
                in: tx
            )
        }
        if let progress {
            return deployment.answer(progress, session, request).setting(federation.cookie.clearing)
        }
        let provider = federation.providers.provider(issuer: identity.issuer)
        let body: JSONValue = [
            "unknown": [
                "provider": .string(provider?.id ?? ""), "label": identity.label.map { .string($0) } ?? .null,
            ]
        ]
        let cookie = try federation.cookie.setting(.unknown(identity), at: deployment.effects.now())
        return Response.json(body.serialized).setting(cookie)
    }

    /// Creates an account whose only proof so far is the linked account at the provider.
    private func create(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let now = deployment.effects.now()
        guard let content = federation.cookie.content(in: request, at: now), case .unknown(let identity) = content.visit
        else { throw APIError.flowNotValid }
        let admission = try Admission(deployment.registration, fields)
        guard federation.providers.provider(issuer: identity.issuer) != nil else { throw APIError.flowNotValid }
        let account = try deployment.newAccount(fields)
        let session = NewSession(deployment, request, context)
        let counter = deployment.newAccounts(of: request, context)
        let progress = try await deployment.store.write { tx -> SignInProgress? in
            try await admission.check(at: now, in: tx)
            try await counter?.check(at: now, in: tx)
            // An attempt shows whether the name is taken, so it is counted in both cases.
            try await counter?.add(at: now, in: tx)
            guard try await tx.account(username: account.username) == nil else { return nil }
            guard try await tx.factor(.federated, key: identity.key) == nil else { throw APIError.identityTaken }
            try await use(content, in: tx)
            try await tx.insert(account)
            try await admission.use(in: tx)
            try await tx.setFactor(FederatedLink.record(of: identity, for: account.id, at: now))
            var event = AuditEvent(.accountCreated, at: now, of: account.id, method: .federated)
            event.details = deployment.auditDetails(nil, request, context)
            try await tx.append(event)
            // The service's rules may ask everybody for a passkey.
            return try await deployment.begin(
                .federated(link: identity.key),
                of: account,
                session,
                after: 0,
                onNewDevice: false,
                at: now,
                in: tx
            )
        }
        guard let progress else { throw APIError(StoreError(.usernameTaken)) }
        guard case .opened = progress else {
            var response = deployment.answer(progress, session, request).setting(federation.cookie.clearing)
            response.status = .created
            return response
        }
        let body: JSONValue = ["account": JSONValue(account), "hasPasskey": false]
        return deployment.signedIn(body, to: account.id, session, request, status: .created)
            .setting(federation.cookie.clearing)
    }

    // MARK: Linking

    /// Links what the person signed in to at the provider, if the session that began it is still the browser's.
    ///
    /// The recent proof was needed when the change began: a person may take some minutes at the provider.
    private func link(
        _ identity: FederatedIdentity,
        to session: SessionID,
        _ content: FederatedCookie.Content,
        _ request: Request,
        _ context: WardRequestContext
    ) async throws -> Response {
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        try await deployment.store.write { tx in
            try await use(content, in: tx)
            let (current, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            guard current.id == session else { throw APIError.flowNotValid }
            _ = try await deployment.recentlySignedIn(presented, at: content.begunAt, in: tx)
            if let other = try await tx.factor(.federated, key: identity.key) {
                guard other.accountID == account.id else { throw APIError.identityTaken }
                return
            }
            let links = try await OtherFactors(of: account.id, in: tx).links
            guard links.count < FederatedLink.mostLinks else {
                throw APIError(
                    .tooManyLinks,
                    "The account has the maximum number of linked accounts. Remove one first."
                )
            }
            try await tx.setFactor(FederatedLink.record(of: identity, for: account.id, at: now))
            try await deployment.tell(.identityLinked, account, at: now, in: tx)
            let details = deployment.auditDetails(current.id, request, context)
            try await tx.append(AuditEvent(.identityLinked, at: now, of: account.id, details: details))
        }
        let body: JSONValue = ["linked": true]
        return Response.json(body.serialized).setting(federation.cookie.clearing)
    }

    private func unlink(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let key = context.parameters.get("id").flatMap { Base64URL.decode($0) } ?? []
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            guard try await tx.deleteFactor(.federated, key: key, of: account.id) else { throw APIError.noSuchLink }
            // The check comes after the removal, in the same transaction, so that no two calls remove the last ways together.
            guard try await deployment.hasWayIn(account.id, in: tx) else {
                throw APIError(
                    .lastWayIn,
                    "This is the only way to sign in to this account. To remove it, add a passkey or a password first."
                )
            }
            for other in try await tx.sessions(of: account.id)
            where other.method == .federated && other.id != session.id {
                _ = try await tx.deleteSession(id: other.id, of: account.id)
            }
            try await deployment.tell(.identityUnlinked, account, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.identityUnlinked, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }

    // MARK: Refusals

    /// The answer to a browser whose sign-in failed at the provider; the log gets the reason.
    private func refused(
        _ refusal: FederationRefusal,
        said error: String? = nil,
        at provider: String,
        _ context: WardRequestContext
    ) -> APIError {
        context.logger.notice(
            "sign-in at an identity provider refused",
            metadata: ["provider": .string(provider), "reason": .string(refusal.rawValue)]
        )
        switch refusal {
        case .answerError where error == "access_denied" || error == "user_cancelled_authorize":
            return APIError(.providerCancelled, "The sign-in at the provider was cancelled.")
        case .unreachable, .tooSlow, .tooLarge, .redirect, .status, .contentType, .metadataUnreadable, .metadataIssuer,
            .metadataAddress, .metadataFlow, .metadataChallenge, .metadataAuthentication, .keysUnreadable:
            return APIError(
                .providerUnavailable,
                "The provider cannot be used at the moment. Try again, or sign in another way."
            )
        default:
            return APIError(
                .providerRefused,
                "The provider's answer is not valid. Begin again, or sign in another way."
            )
        }
    }
}

extension FederatedLink {
    /// The most linked accounts of one account.
    static let mostLinks = 10
}

extension Deployment {
    /// Whether an account can still be signed in to: with a passkey that opens it, a password, or a linked account.
    func hasWayIn(_ account: AccountID, in tx: Store.Transaction) async throws -> Bool {
        if try await tx.hasOpeningPasskey(account) { return true }
        if try await hasPassword(account, in: tx) { return true }
        return try await OtherFactors(of: account, in: tx).links.contains { federation.isUsable($0.record) }
    }
}

extension APIError {
    fileprivate static let noSuchLink = APIError(.notFound, "The account has no linked account with this ID.")
    fileprivate static let identityTaken = APIError(
        .identityTaken,
        "This account at the provider is linked to another account here."
    )
}
