import HTTPTypes
import Hummingbird
import Logging
package import WardAccounts
import WardText
package import WardWebAuthn

/// The API of the people who run the service: for their programs, or for the admin page.
///
/// Programs have a token with the scope of the call, at an address of their own. It takes no cookies and no `Origin`: no browser
/// sends a bearer token by itself. The admin page has the session of an administrator, at the service's own address: see
/// ``AdminGate``. Each change writes its row of the audit log, with the token's ID or the administrator's account, in the same
/// transaction.
package struct AdminAPI<Store: AccountStore>: Sendable {
    let store: Store
    let effects: Effects
    private let origin: String
    private let sessionRules: SessionRules
    /// The names of the service's identity providers by issuer.
    private let providers: [String: String]
    let gate: AdminGate<Store>

    /// The API for programs.
    ///
    /// - Parameters:
    ///   - store: The store for accounts.
    ///   - effects: Clock and randomness.
    ///   - origin: The origin of the links for people.
    ///   - sessionRules: The rules of the service for sessions.
    ///   - providers: The names of the service's identity providers by issuer.
    package init(
        store: Store,
        effects: Effects,
        origin: String,
        sessionRules: SessionRules,
        providers: [String: String] = [:]
    ) {
        self.store = store
        self.effects = effects
        self.origin = origin
        self.sessionRules = sessionRules
        self.providers = providers
        gate = .programs
    }

    /// The API for the admin page.
    ///
    /// - Parameters:
    ///   - deployment: The service.
    ///   - group: The group of administrators.
    init(_ deployment: Deployment<Store>, for group: GroupName) {
        store = deployment.store
        effects = deployment.effects
        origin = deployment.page
        sessionRules = deployment.sessionRules
        providers = deployment.federation.providers.names
        gate = .people(deployment, group)
    }

    func add(to router: WardRouter) {
        router.get("/api/v1/admin/accounts") { try await list($0, $1) }
        router.get("/api/v1/admin/accounts/{id}") { try await show($0, $1) }
        router.delete("/api/v1/admin/accounts/{id}") { try await delete($0, $1) }
        router.post("/api/v1/admin/accounts/{id}/disable") { try await disable($0, $1) }
        router.post("/api/v1/admin/accounts/{id}/enable") { try await enable($0, $1) }
        router.put("/api/v1/admin/accounts/{id}/email") { try await setEmail($0, $1) }
        router.delete("/api/v1/admin/accounts/{id}/email") { try await removeEmail($0, $1) }
        router.put("/api/v1/admin/accounts/{id}/groups") { try await setGroups($0, $1) }
        router.get("/api/v1/admin/accounts/{id}/sessions") { try await sessions($0, $1) }
        router.delete("/api/v1/admin/accounts/{id}/sessions") { try await endSessions($0, $1) }
        router.delete("/api/v1/admin/accounts/{id}/sessions/{session}") { try await endSession($0, $1) }
        router.post("/api/v1/admin/accounts/{id}/recovery-link") { try await makeRecoveryLink($0, $1) }
        router.post("/api/v1/admin/invitations") { try await invite($0, $1) }
        router.get("/api/v1/admin/audit") { try await audit($0, $1) }
        router.get("/api/v1/admin/statistics") { try await statistics($0, $1) }
        addClients(to: router)
    }

    // MARK: Accounts

    /// One page of the accounts by user name, those whose names begin with `?prefix=`, or the one with the name of `?username=`.
    func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let limit = try AdminPage.limit(of: request)
        let query = request.uri.queryParameters
        let (after, name) = (query["after"].map(String.init), query["username"].map(String.init))
        let prefix = query["prefix"].map { Username.mappedPrefix(String($0)) } ?? ""
        return try await reading(request, .readAccounts, context) { tx in
            guard let name else {
                let found = try await tx.accounts(withPrefix: prefix, after: after, limit: limit + 1)
                let shown = found.prefix(limit)
                let next = found.count > limit ? shown.last?.username.mapped : nil
                return .json(try await json(Array(shown), next: next, in: tx).serialized)
            }
            let account = try? Username(name)
            let found = if let account { try await tx.account(username: account) } else { nil as Account? }
            return .json(try await json(found.map { [$0] } ?? [], next: nil, in: tx).serialized)
        }
    }

    private func json(_ accounts: [Account], next: String?, in tx: Store.Transaction) async throws -> JSONValue {
        var summaries: [JSONValue] = []
        for account in accounts { summaries.append(try await AccountSummary(of: account, in: tx).json) }
        return ["accounts": .array(summaries), "next": next.map { .string($0) } ?? .null]
    }

    func show(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let now = effects.now()
        return try await reading(request, .readAccounts, context) { tx in
            let account = try await account(context, in: tx)
            let person = try await JSONValue(administering: account, at: now, naming: providers, in: tx)
            return .json(person.serialized)
        }
    }

    func disable(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            guard actions.administrator != account.id else {
                throw APIError(.ownAccount, "You cannot disable your own account. Another administrator can.")
            }
            try await actions.disable(account.id, in: tx)
            return Response(status: .noContent)
        }
    }

    func enable(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            try await actions.enable(account.id, in: tx)
            return Response(status: .noContent)
        }
    }

    private func delete(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            try await actions.delete(account.id, in: tx)
            return Response(status: .noContent)
        }
    }

    private func setEmail(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let address = try EmailAddress(of: JSONFields(await request.jsonBody()))
        return try await changing(request, .writeAccounts, context) { actions, tx in
            _ = try await actions.setEmail(address, of: try await account(context, in: tx), in: tx)
            return Response(status: .noContent)
        }
    }

    private func removeEmail(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            guard try await actions.setEmail(nil, of: try await account(context, in: tx), in: tx) else {
                throw APIError(.notFound, "The account has no e-mail address.")
            }
            return Response(status: .noContent)
        }
    }

    // MARK: Sessions

    func sessions(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let now = effects.now()
        return try await reading(request, .readAccounts, context) { tx in
            let account = try await account(context, in: tx)
            let sessions = try await tx.openSessions(of: account, under: sessionRules, at: now)
            let body: JSONValue = ["sessions": .array(sessions.map { JSONValue(listing: $0) })]
            return .json(body.serialized)
        }
    }

    func endSessions(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            let body: JSONValue = ["ended": .integer(Int64(try await actions.endSessions(of: account.id, in: tx)))]
            return .json(body.serialized)
        }
    }

    func endSession(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            guard let id = context.parameters.get("session").flatMap({ SessionID(text: $0) }),
                try await actions.endSession(id, of: account.id, in: tx)
            else { throw APIError(.notFound, "The account has no session with this ID.") }
            return Response(status: .noContent)
        }
    }

    // MARK: Links

    func makeRecoveryLink(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        // Without a body, or without this member, the link needs another proof.
        let fields = request.headers[.contentType] == nil ? nil : try JSONFields(await request.jsonBody())
        let needsProof: Bool
        switch fields?["needsProof"] {
        case nil, .bool(true): needsProof = true
        case .bool(false): needsProof = false
        default: throw APIError(.malformedRequest, "\"needsProof\" must be true or false.").at("needsProof")
        }
        if case .people = gate, !needsProof {
            throw APIError(.malformedRequest, "At the admin page, a recovery link always needs another proof.")
                .at("needsProof")
        }
        return try await changing(request, .writeRecovery, context) { actions, tx in
            let account = try await account(context, in: tx)
            guard account.disabledAt == nil else {
                throw APIError(.accountDisabled, "The account is disabled. Enable it first.")
            }
            let link = try await actions.makeRecoveryLink(for: account.id, needsProof: needsProof, in: tx)
            return answer(.recovery, link)
        }
    }

    func invite(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let fields = try JSONFields(await request.jsonBody())
        let lifetimes = OperatorActions.invitationLifetimes
        let seconds = fields["expiresIn"].map { $0.integerValue } ?? 7 * 86_400
        guard let seconds, lifetimes.contains(seconds) else {
            throw APIError(
                .malformedRequest,
                "\"expiresIn\" must be \(lifetimes.lowerBound) to \(lifetimes.upperBound) seconds."
            )
        }
        return try await changing(request, .writeInvitations, context) { actions, tx in
            answer(.invitation, try await actions.makeInvitation(lasting: seconds, in: tx))
        }
    }

    private func answer(_ kind: ServiceLink, _ link: (token: LinkToken, expiresAt: Int64)) -> Response {
        let body: JSONValue = [
            "link": .string(kind.text(at: origin, link.token)), "expiresAt": .string(JSONTime.text(link.expiresAt)),
        ]
        return .json(body.serialized, status: .created)
    }

    // MARK: The service

    /// One page of the audit log, oldest first.
    private func audit(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let limit = try AdminPage.limit(of: request)
        let after = try AdminPage.number("after", of: request)
        return try await reading(request, .readAudit, context) { tx in
            var rows: [JSONValue] = []
            let entries = try await tx.auditEntries(after: after, limit: limit)
            for entry in entries {
                var name: String?
                if let id = entry.event.account { name = try await tx.account(id: id)?.username.text }
                rows.append(JSONValue(auditing: entry, of: name))
            }
            let body: JSONValue = [
                "events": .array(rows), "next": .integer(entries.last?.number ?? after),
            ]
            return .json(body.serialized)
        }
    }

    private func statistics(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await reading(request, .readStatistics, context) { tx in
            let counts = try await tx.recordCounts()
            let body: JSONValue = [
                "accounts": .integer(Int64(counts.accounts)),
                "disabledAccounts": .integer(Int64(counts.disabledAccounts)),
                "passkeys": .integer(Int64(counts.passkeys)), "passwords": .integer(Int64(counts.passwords)),
                "sessions": .integer(Int64(counts.sessions)),
            ]
            return .json(body.serialized)
        }
    }

    // MARK: The caller

    /// Answers a call that changes nothing, in one transaction with the check of the caller.
    func reading(
        _ request: Request,
        _ scope: AdminToken.Scope,
        _ context: WardRequestContext,
        _ body: @escaping @Sendable (Store.Transaction) async throws -> Response
    ) async throws -> Response {
        if case .people(let deployment, let group) = gate {
            let now = effects.now()
            let (session, response) = try await store.read { tx in
                let (session, _) = try await deployment.administrator(request, .read, of: group, at: now, in: tx)
                return (session, try await body(tx))
            }
            await deployment.touch(session, context)
            return response
        }
        let (token, response) = try await store.read { tx in
            let token = try await authorized(request, scope, in: tx)
            return (token, try await body(tx))
        }
        await touch(token, context)
        return response
    }

    /// Answers a call that changes something, in one transaction with the check of the caller.
    func changing(
        _ request: Request,
        _ scope: AdminToken.Scope,
        _ context: WardRequestContext,
        _ body: @escaping @Sendable (OperatorActions, Store.Transaction) async throws -> Response
    ) async throws -> Response {
        if case .people(let deployment, let group) = gate {
            let now = effects.now()
            return try await store.write { tx in
                let (_, person) = try await deployment.administrator(request, .change, of: group, at: now, in: tx)
                return try await body(OperatorActions(effects: effects, administrator: person.id), tx)
            }
        }
        return try await store.write { tx in
            let token = try await authorized(request, scope, in: tx)
            let response = try await body(OperatorActions(effects: effects, token: token), tx)
            try await tx.touchAdminToken(tokenHash: token.tokenHash, lastUsedAt: effects.now())
            return response
        }
    }

    /// The token of a program's request.
    ///
    /// - Throws: ``APIError`` with `token_not_valid` or `insufficient_scope`.
    func authorized(
        _ request: Request,
        _ scope: AdminToken.Scope,
        in tx: Store.Transaction
    ) async throws -> AdminToken {
        guard let secret = request.bearerText.flatMap({ LinkToken(text: $0) }),
            let token = try await tx.adminToken(tokenHash: secret.hash), !token.isExpired(at: effects.now())
        else { throw APIError(.tokenNotValid, "This needs a token of the admin API that is valid.") }
        guard token.scopes.contains(scope) else {
            throw APIError(.insufficientScope, "The token does not have the scope \(scope.rawValue).")
        }
        return token
    }

    /// Notes a token's use, at most once a minute.
    ///
    /// A store that cannot write is no reason to refuse a reader.
    private func touch(_ token: AdminToken, _ context: WardRequestContext) async {
        let now = effects.now()
        if let last = token.lastUsedAt, (0..<60).contains(now - last) { return }
        do {
            try await store.write { _ = try await $0.touchAdminToken(tokenHash: token.tokenHash, lastUsedAt: now) }
        } catch {
            context.logger.warning("token's use not recorded", metadata: ["token": .string(token.id)])
        }
    }

    /// The account of the address.
    func account(_ context: WardRequestContext, in tx: Store.Transaction) async throws -> Account {
        guard let id = context.parameters.get("id").flatMap({ AccountID(text: $0) }),
            let account = try await tx.account(id: id)
        else { throw APIError(.notFound, "No account has this ID.") }
        return account
    }
}

/// The part of a list that a program asks for.
enum AdminPage {
    /// The largest page.
    static let most = 500

    static func limit(of request: Request) throws(APIError) -> Int {
        guard request.uri.queryParameters["limit"] != nil else { return 100 }
        let limit = try number("limit", of: request)
        guard (1...Int64(most)).contains(limit) else {
            throw APIError(.malformedRequest, "\"limit\" must be 1 to \(most).")
        }
        return Int(limit)
    }

    /// A number from 0 on; 0 if it is missing.
    static func number(_ name: String, of request: Request) throws(APIError) -> Int64 {
        guard let text = request.uri.queryParameters[Substring(name)] else { return 0 }
        guard let number = Int64(text), number >= 0, String(number) == text else {
            throw APIError(.malformedRequest, "\"\(name)\" must be a whole number.")
        }
        return number
    }
}
