import HTTPTypes
import Hummingbird
import Logging
import WardAccounts
import WardText
import WardWebAuthn

/// The calls of the admin page.
///
/// They are at the service's own address, so each of them asks ``AdminGate`` first, before it reads anything else of the request.
/// What programs do at their own address and people at the page has one body.
extension AdminAPI {
    /// Adds the calls of the admin page to the service's own router.
    ///
    /// - Throws: ``ServerStartError`` if their description was not installed with the program.
    func addForPeople(to router: WardRouter, _ configuration: ServerConfiguration) throws {
        let add = PeopleRoutes(api: self, router: router)
        let description = try OpenAPIDescription("openapi-admin-page")
        add.get("openapi.json") { _, _ in .json(description.json) }
        add.get("accounts") { try await list($0, $1) }
        add.get("accounts/{id}") { try await show($0, $1) }
        add.post("accounts/{id}/disable") { try await disable($0, $1) }
        add.post("accounts/{id}/enable") { try await enable($0, $1) }
        add.post("accounts/{id}/recovery-link") { try await makeRecoveryLink($0, $1) }
        add.delete("accounts/{id}/sessions") { try await endSessions($0, $1) }
        add.delete("accounts/{id}/sessions/{session}") { try await endSession($0, $1) }
        add.delete("accounts/{id}/passkeys/{passkey}") { request, context in
            try await deletePasskey(request, context, acceptsPasswords: configuration.acceptsPasswords)
        }
        add.get("invitations") { try await invitations($0, $1) }
        add.post("invitations") { try await invite($0, $1) }
        add.delete("invitations/{invitation}") { try await revokeInvitation($0, $1) }
        add.get("audit") { try await newestEvents($0, $1) }
        add.get("audit/verification") { request, context in
            try await verification(request, context, AuditCheck(configuration))
        }
        add.get("upgrades") { try await upgrades($0, $1) }
        add.get("settings") { request, context in
            try await reading(request, .readStatistics, context) { _ in
                .json(JSONValue(settingsOf: configuration).serialized)
            }
        }
    }

    private func deletePasskey(
        _ request: Request,
        _ context: WardRequestContext,
        acceptsPasswords: Bool
    ) async throws -> Response {
        try await changing(request, .writeAccounts, context) { actions, tx in
            let account = try await account(context, in: tx)
            guard let id = context.parameters.get("passkey").flatMap({ CredentialID(base64URL: $0) }),
                try await actions.deletePasskey(id, of: account.id, acceptsPasswords: acceptsPasswords, in: tx)
            else { throw APIError(.notFound, "The account has no passkey with this credential ID.") }
            return Response(status: .noContent)
        }
    }

    // MARK: Invitations

    /// The newest invitations.
    ///
    /// The ID is the hash of the link's token: it revokes an invitation, and does not open it.
    private func invitations(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let limit = try AdminPage.limit(of: request)
        let now = effects.now()
        return try await reading(request, .writeInvitations, context) { tx in
            let found = try await tx.invitations(limit: limit + 1)
            let rows = found.prefix(limit).map { invitation -> JSONValue in
                [
                    "id": .string(Base64URL.encode(invitation.tokenHash)),
                    "createdAt": .string(JSONTime.text(invitation.createdAt)),
                    "expiresAt": .string(JSONTime.text(invitation.expiresAt)),
                    "expired": .bool(invitation.isExpired(at: now)),
                ]
            }
            let body: JSONValue = ["invitations": .array(rows), "more": .bool(found.count > limit)]
            return .json(body.serialized)
        }
    }

    private func revokeInvitation(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeInvitations, context) { actions, tx in
            guard let hash = context.parameters.get("invitation").flatMap({ Base64URL.decode($0) }),
                try await actions.revokeInvitation(tokenHash: hash, in: tx)
            else { throw APIError(.notFound, "There is no invitation with this ID.") }
            return Response(status: .noContent)
        }
    }

    // MARK: The audit log

    /// One page of the audit log, newest first: the rows before `?before=`, with the event `?event=`, of the account `?account=`.
    ///
    /// A page can have fewer rows than `?limit=`, because one call reads only some thousand rows. `next` is then the place to go on.
    private func newestEvents(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let limit = try AdminPage.limit(of: request)
        let before = try AdminPage.number("before", of: request)
        let query = request.uri.queryParameters
        var search = AuditSearch(limit: limit, before: before == 0 ? nil : before)
        search.kind = query["event"].map { AuditEvent.Kind(rawValue: String($0)) }
        if let text = query["account"] {
            guard let id = AccountID(text: String(text)) else {
                throw APIError(.malformedRequest, "\"account\" must be the ID of an account.")
            }
            search.account = id
        }
        let wanted = search
        return try await reading(request, .readAudit, context) { tx in
            let (entries, next) = try await wanted.run(in: tx)
            var rows: [JSONValue] = []
            for entry in entries {
                var name: String?
                if let id = entry.event.account { name = try await tx.account(id: id)?.username.text }
                var admin: String?
                if let id = entry.event.details.administrator { admin = try await tx.account(id: id)?.username.text }
                let members = JSONValue(auditing: entry, of: name).objectValue ?? []
                rows.append(.object(members + [.init("admin", admin.map { .string($0) } ?? .null)]))
            }
            let body: JSONValue = ["events": .array(rows), "next": next.map { .integer($0) } ?? .null]
            return .json(body.serialized)
        }
    }

    /// Verifies the whole audit log; `null` where it is not signed.
    private func verification(
        _ request: Request,
        _ context: WardRequestContext,
        _ check: AuditCheck?
    ) async throws -> Response {
        // The gate was asked already; here it only notes the session's use.
        let allowed = try await reading(request, .readAudit, context) { _ in .json(JSONValue.null.serialized) }
        guard let check else { return allowed }
        do {
            return .json(try await check.run(on: store).json.serialized)
        } catch let error as ServerStartError {
            throw unreadable(error.description, context)
        } catch let error as ServerConfigurationError {
            throw unreadable(error.description, context)
        }
    }

    private func unreadable(_ reason: String, _ context: WardRequestContext) -> APIError {
        context.logger.error("audit log not verified", metadata: ["error": .string(reason)])
        return APIError(.unavailable, "The audit log's key or heads cannot be read. The log has the reason.")
    }

    // MARK: Numbers

    private func upgrades(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let typed = try AdminPage.number("days", of: request)
        let days = typed == 0 ? 30 : typed
        guard days <= Sweeping.upgradeDays else {
            throw APIError(.malformedRequest, "\"days\" must be 1 to \(Sweeping.upgradeDays).")
        }
        let now = effects.now()
        return try await reading(request, .readStatistics, context) { tx in
            .json(try await UpgradeReport(days: Int(days), at: now, in: tx).json.serialized)
        }
    }
}

/// Adds routes that ask the gate before anything else.
private struct PeopleRoutes<Store: AccountStore> {
    typealias Handler = @Sendable (Request, WardRequestContext) async throws -> Response

    let api: AdminAPI<Store>
    let router: WardRouter

    func get(_ path: String, _ handler: @escaping Handler) { add(.get, path, .read, handler) }
    func post(_ path: String, _ handler: @escaping Handler) { add(.post, path, .change, handler) }
    func delete(_ path: String, _ handler: @escaping Handler) { add(.delete, path, .change, handler) }

    private func add(_ method: HTTPRequest.Method, _ path: String, _ wish: AdminWish, _ handler: @escaping Handler) {
        router.on("/api/v1/admin/\(path)", method: method) { [api] request, context in
            guard case .people(let deployment, let group) = api.gate else { throw APIError.nothingHere }
            let now = deployment.effects.now()
            _ = try await deployment.store.read { tx in
                try await deployment.administrator(request, wish, of: group, at: now, in: tx)
            }
            return try await handler(request, context)
        }
    }
}
