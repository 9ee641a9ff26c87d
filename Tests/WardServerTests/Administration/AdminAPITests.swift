import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `The admin API` {
    /// A service and its admin API over one store.
    private struct AdminFixture: Sendable {
        let store: MemoryAccountStore
        let world: ServiceFixture
        let client: any TestClientProtocol

        func token(_ scopes: AdminToken.Scope..., lasting seconds: Int64 = 3_600) async throws -> (String, AdminToken) {
            let actions = OperatorActions(effects: world.effects.effects)
            let (secret, record) = try await store.write { tx in
                try await actions.makeToken(named: "test", Set(scopes), lasting: seconds, in: tx)
            }
            return (secret.text, record)
        }

        @discardableResult
        func call(_ method: HTTPRequest.Method, _ path: String, _ token: String?, _ body: JSONValue? = nil) async throws
            -> Answer
        {
            var headers: HTTPFields = [:]
            if let token { headers[.authorization] = "Bearer \(token)" }
            if body != nil { headers[.contentType] = "application/json" }
            return try await client.execute(
                uri: "/api/v1/admin/\(path)",
                method: method,
                headers: headers,
                body: body.map { ByteBuffer(bytes: $0.serialized) }
            ) { Answer($0) }
        }

        func audit() async throws -> [AuditEvent] {
            try await store.read { try $0.auditEntries(after: 0, limit: 500) }.map(\.event)
        }
    }

    private static func withAdmin(_ body: @escaping @Sendable (AdminFixture) async throws -> Void) async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let api = AdminAPI(
                store: store,
                effects: world.effects.effects,
                origin: "https://login.example.com",
                sessionRules: SessionRules(SignInPolicy())
            )
            let server = AdminServer(api, at: .standard, logger: .silent)
            try await server.application().test(.router) { client in
                try await body(AdminFixture(store: store, world: world, client: client))
            }
        }
    }

    /// Every call with its scope; `{id}` and `{session}` stand for IDs.
    private static let calls: [(HTTPRequest.Method, String, AdminToken.Scope)] = [
        (.get, "accounts", .readAccounts), (.get, "accounts/{id}", .readAccounts),
        (.delete, "accounts/{id}", .writeAccounts), (.post, "accounts/{id}/disable", .writeAccounts),
        (.post, "accounts/{id}/enable", .writeAccounts), (.get, "accounts/{id}/sessions", .readAccounts),
        (.put, "accounts/{id}/email", .writeAccounts), (.delete, "accounts/{id}/email", .writeAccounts),
        (.put, "accounts/{id}/groups", .writeAccounts),
        (.delete, "accounts/{id}/sessions", .writeAccounts),
        (.delete, "accounts/{id}/sessions/{session}", .writeAccounts),
        (.post, "accounts/{id}/recovery-link", .writeRecovery), (.post, "invitations", .writeInvitations),
        (.get, "audit", .readAudit), (.get, "statistics", .readStatistics), (.get, "clients", .readClients),
        (.post, "clients", .writeClients), (.get, "clients/{id}", .readClients),
        (.delete, "clients/{id}", .writeClients), (.post, "clients/{id}/secret", .writeClients),
    ]

    @Test func `is described, every call of it`() throws {
        let api = AdminAPI(
            store: MemoryAccountStore(),
            effects: TestEffects().effects,
            origin: "",
            sessionRules: SessionRules(SignInPolicy())
        )
        let table = RouteTable(try AdminServer(api, at: .standard, logger: .silent).router())
        let routes = Set(
            table.entries.flatMap { entry in entry.methods.filter { $0 != "HEAD" }.map { "\($0) \(entry.template)" } }
        )
        let document = try JSONValue(OpenAPIDescription("openapi-admin").json)
        let described = Set(
            (document["paths"]?.objectValue ?? []).flatMap { path in
                (path.value.objectValue ?? []).map { "\($0.name.uppercased()) \(path.name)" }
            }
        )
        #expect(routes == described)
        let tested = Set(Self.calls.map { "\($0.0.rawValue) /api/v1/admin/\($0.1)" })
        #expect(routes.subtracting(tested) == ["GET /api/v1/admin/openapi.json"] && tested.isSubset(of: routes))
    }

    @Test func `sets the groups of an account, in order and each once, and refuses what is no group`() async throws {
        try await Self.withAdmin { admin in
            try await admin.world.visitor().register("ada")
            let account = try #require(try await admin.store.read { try $0.accounts(after: nil, limit: 1) }.first)
            let ((token, _), path) = (
                try await admin.token(.writeAccounts, .readAccounts), "accounts/\(account.id.text)"
            )
            func groups() async throws -> JSONValue? {
                try await admin.call(.get, path, token, nil)["account", "groups"]
            }
            #expect(try await groups() == [])
            let names: JSONValue = ["staff", "admins", "staff"]
            #expect(try await admin.call(.put, "\(path)/groups", token, ["groups": names]).status == .noContent)
            #expect(try await groups() == ["admins", "staff"])
            let event = try #require(try await admin.audit().last)
            #expect(event.kind == .groupsChanged && event.actor == .operator && event.account == account.id)
            #expect(event.details.values["groups"] == "admins staff" && event.details.token != nil)
            let count = try await admin.audit().count
            #expect(
                try await admin.call(.put, "\(path)/groups", token, ["groups": ["admins", "staff"]]).status
                    == .noContent
            )
            #expect(try await admin.audit().count == count, "nothing changed")
            let many = JSONValue.array((0...32).map { .string("g\($0)") })
            for (wrong, refusal) in [
                (["Admins"], "422 group_not_allowed"), (["a,b"], "422 group_not_allowed"),
                ([""], "422 group_not_allowed"),
                ([1], "400 malformed_request"), ("admins", "400 malformed_request"), (many, "400 malformed_request"),
                (.null, "400 malformed_request"),
            ] as [(JSONValue, String)] {
                let answer = try await admin.call(.put, "\(path)/groups", token, ["groups": wrong])
                #expect(answer.refusal == refusal && answer["pointer"] == "#/groups", "\(wrong)")
            }
            #expect(try await groups() == ["admins", "staff"])
            #expect(try await admin.call(.put, "\(path)/groups", token, ["groups": []]).status == .noContent)
            #expect(try await groups() == [])
        }
    }

    @Test func `needs a token with the scope of the call, and no other scope is enough`() async throws {
        try await Self.withAdmin { admin in
            try await admin.world.visitor().register("ada")
            let account = try #require(try await admin.store.read { try $0.accounts(after: nil, limit: 1) }.first)
            let session = try #require(try await admin.store.read { try $0.sessions(of: account.id) }.first)
            let before = try await admin.audit().count
            var tokens = 0
            for (method, template, scope) in Self.calls {
                let path = template.replacing("{id}", with: account.id.text).replacing(
                    "{session}",
                    with: session.id.text
                )
                let body: JSONValue? =
                    switch template {
                    case "invitations": [:]
                    case "accounts/{id}/groups": ["groups": ["admins"]]
                    case _ where method == .put: ["address": "ada@example.com"]
                    case "clients" where method == .post: ["client_name": "x", "redirect_uris": ["https://x.example/"]]
                    default: nil
                    }
                let none = try await admin.call(method, path, nil, body)
                #expect(none.refusal == "401 token_not_valid" && none.headers[.wwwAuthenticate] == "Bearer", "\(path)")
                for wrong in [String(repeating: "A", count: 43), "x", "", session.tokenHash.description] {
                    #expect(try await admin.call(method, path, wrong, body).refusal == "401 token_not_valid", "\(path)")
                }
                for other in AdminToken.Scope.all where other != scope {
                    tokens += 1
                    let (token, _) = try await admin.token(other)
                    let answer = try await admin.call(method, path, token, body)
                    #expect(answer.refusal == "403 insufficient_scope", "\(path) \(other)")
                    #expect(answer.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
                }
            }
            #expect(try await admin.audit().count == before + tokens, "nothing happened but the tokens")
            #expect(try await admin.store.read { try $0.sessions(of: account.id) } == [session])
            #expect(try await admin.store.read { try $0.oauthClients() }.isEmpty)
            #expect(try await admin.store.read { try $0.idTokenKeys() }.isEmpty)
        }
    }

    @Test func `takes no session's token, and the service takes no token of it`() async throws {
        try await Self.withAdmin { admin in
            let ada = admin.world.visitor()
            try await ada.register("ada")
            let session = ada.cookie?.split(separator: "=").last.map(String.init)
            #expect(try await admin.call(.get, "statistics", session).refusal == "401 token_not_valid")
            let (token, _) = try await admin.token(.readAccounts)
            let other = admin.world.visitor()
            other.fields[.authorization] = "Bearer \(token)"
            #expect(try await other.get("account").refusal == "401 not_signed_in")
            #expect(try await ada.get("/api/v1/admin/statistics").status == .notFound)
        }
    }

    @Test func `takes no token that has expired or was revoked`() async throws {
        try await Self.withAdmin { admin in
            let (first, record) = try await admin.token(.readStatistics, lasting: 60)
            #expect(try await admin.call(.get, "statistics", first).status == .ok)
            admin.world.effects.advance(by: 60)
            #expect(try await admin.call(.get, "statistics", first).refusal == "401 token_not_valid")
            let (second, other) = try await admin.token(.readStatistics)
            let actions = OperatorActions(effects: admin.world.effects.effects)
            try await admin.store.write { try await actions.revoke(other, in: $0) }
            #expect(try await admin.call(.get, "statistics", second).refusal == "401 token_not_valid")
            let events = try await admin.audit()
            #expect(events.map(\.kind) == [.adminTokenMade, .adminTokenMade, .adminTokenRevoked])
            #expect(events.map(\.details.token) == [record.id, other.id, other.id])
            #expect(events.allSatisfy { $0.actor == .operator && $0.account == nil })
        }
    }

    @Test func `looks after accounts, and each change is in the audit log with the token`() async throws {
        try await Self.withAdmin { admin in
            let (ada, bob) = (admin.world.visitor(), admin.world.visitor())
            try await ada.register("ada")
            try await bob.create("bob")
            let (token, record) = try await admin.token(
                .readAccounts,
                .writeAccounts,
                .writeRecovery,
                .writeInvitations
            )
            let listed = try await admin.call(.get, "accounts?limit=1", token)
            #expect(listed["accounts"]?.arrayValue?.map { $0["username"] } == ["ada"] && listed["next"] == "ada")
            let rest = try await admin.call(.get, "accounts?after=ada", token)
            #expect(rest["accounts"]?.arrayValue?.map { $0["username"] } == ["bob"] && rest["next"] == .null)
            let found = try await admin.call(.get, "accounts?username=ADA", token)
            let summary = try #require(found["accounts"]?.arrayValue?.first)
            #expect(summary["passkeys"] == 1 && summary["hasPassword"] == false && summary["disabledAt"] == .null)
            #expect(try await admin.call(.get, "accounts?username=nobody", token)["accounts"] == [])
            let id = try #require(summary["id"]?.stringValue)
            let shown = try await admin.call(.get, "accounts/\(id)", token)
            #expect(shown["account", "username"] == "ada" && shown["passkeys"]?.arrayValue?.count == 1)
            let sessions = try await admin.call(.get, "accounts/\(id)/sessions", token)
            let session = try #require(sessions["sessions"]?.arrayValue?.first?["id"]?.stringValue)
            #expect(try await admin.call(.delete, "accounts/\(id)/sessions/\(session)", token).status == .noContent)
            #expect(try await !ada.isSignedIn())
            #expect(
                try await admin.call(.delete, "accounts/\(id)/sessions/\(session)", token).refusal == "404 not_found"
            )
            try await ada.signIn()
            #expect(try await admin.call(.delete, "accounts/\(id)/sessions", token)["ended"] == 1)
            let link = try await admin.call(.post, "accounts/\(id)/recovery-link", token)
            #expect(link.status == .created)
            #expect(link["link"]?.stringValue?.hasPrefix("https://login.example.com/recover#recovery=") == true)
            #expect(try await admin.call(.post, "accounts/\(id)/disable", token).status == .noContent)
            #expect(try await ada.signIn().refusal == "403 account_disabled")
            #expect(
                try await admin.call(.post, "accounts/\(id)/recovery-link", token).refusal == "403 account_disabled"
            )
            #expect(try await admin.call(.post, "accounts/\(id)/enable", token).status == .noContent)
            #expect(try await ada.signIn().status == .ok)
            #expect(try await admin.call(.delete, "accounts/\(id)", token).status == .noContent)
            #expect(try await !ada.isSignedIn())
            #expect(try await admin.call(.delete, "accounts/\(id)", token).refusal == "404 not_found")
            let invitation = try await admin.call(.post, "invitations", token, ["expiresIn": 60])
            #expect(invitation["link"]?.stringValue?.hasPrefix("https://login.example.com/#invitation=") == true)
            for wrong: JSONValue in [["expiresIn": 59], ["expiresIn": "1d"], ["expiresIn": 7_776_001], []] {
                #expect(try await admin.call(.post, "invitations", token, wrong).refusal == "400 malformed_request")
            }
            let events = try await admin.audit().filter { $0.actor == .operator && $0.kind != .adminTokenMade }
            let kinds: [AuditEvent.Kind] = [
                .sessionsEnded, .sessionsEnded, .recoveryLinkMade, .accountDisabled, .accountEnabled, .accountDeleted,
                .invitationMade,
            ]
            #expect(events.map(\.kind) == kinds)
            #expect(events.allSatisfy { $0.details.token == record.id })
            #expect(events.dropLast().allSatisfy { $0.account?.text == id })
        }
    }

    @Test func `has the audit log in pages, and the numbers`() async throws {
        try await Self.withAdmin { admin in
            let (token, record) = try await admin.token(.readAudit, .readStatistics)
            try await admin.world.visitor().register("ada")
            let first = try await admin.call(.get, "audit?limit=2", token)
            #expect(first["events"]?.arrayValue?.map { $0["event"] } == ["admin_token_made", "account_created"])
            #expect(
                first["events"]?.arrayValue?.first?["details"] == ["token": .string(record.id)] && first["next"] == 2
            )
            let second = try await admin.call(.get, "audit?after=2", token)
            #expect(second["events"]?.arrayValue?.map { $0["username"] } == ["ada"] && second["next"] == 3)
            #expect(try await admin.call(.get, "audit?after=3", token).text == #"{"events":[],"next":3}"#)
            for query in ["limit=0", "limit=501", "limit=x", "after=-1", "after=9223372036854775808"] {
                #expect(
                    try await admin.call(.get, "audit?\(query)", token).refusal == "400 malformed_request",
                    "\(query)"
                )
            }
            let numbers: JSONValue = [
                "accounts": 1, "disabledAccounts": 0, "passkeys": 1, "passwords": 0, "sessions": 1,
            ]
            #expect(try await admin.call(.get, "statistics", token).json == numbers)
        }
    }

    @Test func `notes when a token was used, once a minute`() async throws {
        try await Self.withAdmin { admin in
            let (token, record) = try await admin.token(.readStatistics)
            #expect(record.lastUsedAt == nil)
            var seen: Set<Int64?> = []
            for _ in 0..<4 {
                #expect(try await admin.call(.get, "statistics", token).status == .ok)
                seen.insert(try await admin.store.read { try $0.adminToken(tokenHash: record.tokenHash) }?.lastUsedAt)
                admin.world.effects.advance(by: 30)
            }
            #expect(seen == [record.createdAt, record.createdAt + 60])
        }
    }

    @Test func `answers what it does not know with a problem document`() async throws {
        try await Self.withAdmin { admin in
            #expect(try await admin.call(.get, "nothing", nil).refusal == "404 not_found")
            let wrong = try await admin.call(.put, "accounts", nil)
            #expect(wrong.refusal == "405 method_not_allowed" && wrong.headers[.allow] == "GET, HEAD")
            #expect(try await admin.call(.get, "openapi.json", nil).status == .ok)
        }
    }

    @Test func `looks after clients of OpenID Connect, and shows a secret once`() async throws {
        try await Self.withAdmin { admin in
            try await admin.store.write {
                try await IDTokenKeys.prepare(KeyFixture.keys, at: admin.world.effects.now, in: $0)
            }
            let (token, record) = try await admin.token(.readClients, .writeClients)
            let before = try await admin.audit().count
            let wish: JSONValue = ["client_name": "A wiki", "redirect_uris": ["https://wiki.example/callback"]]
            let added = try await admin.call(.post, "clients", token, wish)
            #expect(added.status == .created && added["client_name"] == "A wiki", "\(added.text)")
            let id = try #require(added["client_id"]?.stringValue)
            let secret = try #require(added["client_secret"]?.stringValue.flatMap { SessionToken(text: $0) })
            let stored = try #require(try await admin.store.read { try $0.oauthClient(id: id) })
            #expect(stored.secretHash == secret.hash && !stored.isFirstParty && !stored.allowsDevices)
            let app: JSONValue = [
                "client_id": "app", "client_name": "An app", "token_endpoint_auth_method": "none",
                "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"],
                "id_token_signed_response_alg": "RS256",
            ]
            #expect(try await admin.call(.post, "clients", token, app)["client_secret"] == nil)
            #expect(try await admin.call(.post, "clients", token, app).refusal == "409 client_exists")
            let listed = try await admin.call(.get, "clients", token)
            #expect(listed["clients"]?.arrayValue?.count == 2 && !listed.text.contains(secret.text))
            let shown = try await admin.call(.get, "clients/app", token)
            #expect(shown["id_token_signed_response_alg"] == "RS256" && shown["created_at"] != nil)
            let renewed = try await admin.call(.post, "clients/\(id)/secret", token)
            let other = try #require(renewed["client_secret"]?.stringValue.flatMap { SessionToken(text: $0) })
            #expect(other != secret)
            #expect(try await admin.store.read { try $0.oauthClient(id: id) }?.secretHash == other.hash)
            #expect(try await admin.call(.post, "clients/app/secret", token).refusal == "409 client_has_no_secret")
            for wrong: JSONValue in [
                [:], ["client_name": "x"], ["client_name": "x", "redirect_uris": ["x"]], ["x": 1],
            ] {
                #expect(try await admin.call(.post, "clients", token, wrong).refusal == "400 client_not_allowed")
            }
            #expect(try await admin.call(.delete, "clients/\(id)", token).status == .noContent)
            #expect(try await admin.call(.delete, "clients/\(id)", token).refusal == "404 not_found")
            let events = try await admin.audit().dropFirst(before)
            #expect(events.map(\.kind) == Array(repeating: .clientChanged, count: 4))
            #expect(events.allSatisfy { $0.details.token == record.id && $0.actor == .operator })
        }
    }
}
