import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// Who gets through the gate of the admin page, one condition after the other.
@Suite struct `The gate of the admin page` {
    /// The calls that only read.
    static let reads = [
        "accounts", "accounts/{id}", "invitations", "audit", "audit/verification", "upgrades", "settings",
        "openapi.json",
    ]
    /// The calls that change something.
    static let changes: [(HTTPRequest.Method, String)] = [
        (.post, "accounts/{id}/disable"), (.post, "accounts/{id}/enable"), (.post, "accounts/{id}/recovery-link"),
        (.delete, "accounts/{id}/sessions"), (.delete, "accounts/{id}/sessions/{session}"),
        (.delete, "accounts/{id}/passkeys/{passkey}"), (.post, "invitations"), (.delete, "invitations/{invitation}"),
    ]
    static var all: [(HTTPRequest.Method, String)] { reads.map { (.get, $0) } + changes }

    /// What the gate answers to each call of a visitor: one answer if it is the same for all.
    static func refusals(
        of visitor: Visitor,
        _ calls: [(HTTPRequest.Method, String)] = all,
        _ fields: HTTPFields = [:]
    ) async throws -> Set<String> {
        var found: Set<String> = []
        for (method, path) in calls {
            let target = path.replacing("{id}", with: AdminFixture.nobody)
            found.insert(try await visitor.send(method, "admin/\(target)", method == .post ? [] : nil, fields).refusal)
        }
        return found
    }

    @Test func `is at each call, and there is no other call`() async throws {
        let store = MemoryAccountStore()
        let deployment = try await Deployment(
            AdminFixture.configuration,
            store: store,
            effects: TestEffects().effects
        )
        let table = RouteTable(try deployment.router(AdminFixture.configuration))
        let served = table.entries.filter { $0.template.hasPrefix("/api/v1/admin/") }.flatMap { entry in
            entry.methods.filter { $0 != "HEAD" }.map { "\($0) \(entry.template)" }
        }
        #expect(Set(served) == Set(Self.all.map { "\($0.0.rawValue) /api/v1/admin/\($0.1)" }))
        let without = RouteTable(
            try await Deployment(
                ServerConfiguration(),
                store: MemoryAccountStore(),
                effects: TestEffects().effects
            ).router(ServerConfiguration())
        )
        #expect(!without.entries.contains { $0.template.contains("admin") })
    }

    @Test func `lets an administrator through, from the page of the service`() async throws {
        try await withAdministrators { (admin: AdminFixture) async throws in
            for path in ["accounts", "accounts/\(admin.ada)", "invitations", "audit", "upgrades", "settings"] {
                #expect(try await admin.person.get("admin/\(path)").status == .ok, "\(path)")
            }
            // A browser names no origin where a page reads from its own one.
            admin.person.origin = nil
            #expect(try await Self.refusals(of: admin.person) == ["403 origin_not_allowed"])
            let same: HTTPFields = [AdminFixture.fetchSite: "same-origin"]
            #expect(try await admin.person.send(.get, "admin/accounts", nil, same).status == .ok)
            #expect(try await Self.refusals(of: admin.person, Self.changes, same) == ["403 origin_not_allowed"])
        }
    }

    @Test func `answers everybody who is no administrator as an address where nothing is`() async throws {
        try await withAdministrators { admin in
            let nothing = try await admin.person.get("nothing/at/all").refusal
            #expect(nothing == "404 not_found")
            let stranger = admin.world.visitor()
            #expect(try await Self.refusals(of: stranger) == [nothing])
            let member = admin.world.visitor()
            try await member.register("member")
            #expect(try await Self.refusals(of: member) == [nothing])
            try await admin.setGroups(of: "member", ["staff", "adminsx"])
            #expect(try await Self.refusals(of: member) == [nothing])
            // It answers them the same, whatever else is wrong.
            member.origin = "https://evil.example"
            #expect(try await Self.refusals(of: member) == [nothing])
            admin.world.effects.advance(by: 3_600)
            #expect(try await Self.refusals(of: member) == [nothing])
        }
    }

    @Test func `looks at the groups and the account at the moment of the call`() async throws {
        try await withAdministrators { admin in
            #expect(try await admin.person.get("admin/accounts").status == .ok)
            try await admin.setGroups(of: "olga", ["staff"])
            #expect(try await Self.refusals(of: admin.person) == ["404 not_found"])
            try await admin.setGroups(of: "olga", ["admins"])
            #expect(try await admin.person.get("admin/accounts").status == .ok)
            let id = admin.root
            try await admin.store.write { try $0.setAccount(id: id, disabledAt: 1) }
            #expect(try await Self.refusals(of: admin.person) == ["404 not_found"])
        }
    }

    @Test func `wants a proof of at most 15 minutes to see something, and 5 to change something`() async throws {
        try await withAdministrators { admin in
            let reads = Self.reads.map { (HTTPRequest.Method.get, $0) }
            admin.world.effects.advance(by: 300)
            #expect(try await admin.person.post("admin/invitations").status == .created)
            admin.world.effects.advance(by: 1)
            #expect(try await Self.refusals(of: admin.person, Self.changes) == ["403 passkey_sign_in_required"])
            admin.world.effects.advance(by: 599)
            #expect(try await admin.person.get("admin/accounts").status == .ok)
            admin.world.effects.advance(by: 1)
            #expect(try await Self.refusals(of: admin.person, reads) == ["403 passkey_sign_in_required"])
            try await admin.person.signIn()
            #expect(try await admin.person.post("admin/invitations").status == .created)
            // A clock that went back makes no proof newer.
            admin.world.effects.advance(by: -1)
            #expect(try await Self.refusals(of: admin.person) == ["403 passkey_sign_in_required"])
        }
    }

    @Test func `takes no password for a passkey, and no passkey without verification`() async throws {
        try await withAdministrators { (admin: AdminFixture) async throws in
            let password: JSONValue = ["password": .string(Visitor.password)]
            #expect(try await admin.person.put("account/password", password).status == .noContent)
            let thief = admin.world.visitor()
            #expect(try await thief.signIn("olga", password: Visitor.password).status == .ok)
            #expect(try await Self.refusals(of: thief) == ["403 passkey_sign_in_required"])
            let finder = admin.person.elsewhere()
            finder.authenticator.behaviour.isUserVerified = false
            #expect(try await finder.signIn().status == .ok)
            #expect(try await Self.refusals(of: finder) == ["403 passkey_sign_in_required"])
            // With the password after it the finder could change the own account, and still is no administrator.
            #expect(try await finder.signIn("olga", password: Visitor.password).status == .ok)
            #expect(try await Self.refusals(of: finder) == ["403 passkey_sign_in_required"])
        }
    }

    @Test func `takes no session that a program keeps`() async throws {
        try await withAdministrators { admin in
            let token = try #require(admin.person.cookie?.split(separator: "=", maxSplits: 1).last)
            let program = admin.world.visitor()
            program.fields[.authorization] = "Bearer \(token)"
            #expect(try await program.isSignedIn())
            #expect(try await Self.refusals(of: program) == ["404 not_found"])
            program.origin = nil
            #expect(try await Self.refusals(of: program) == ["404 not_found"])
            // Nor beside the cookie.
            admin.person.fields[.authorization] = "Bearer \(token)"
            #expect(try await Self.refusals(of: admin.person) == ["404 not_found"])
        }
    }

    @Test func `takes no session of a device or an app`() async throws {
        try await withAdministrators { admin in
            let root = admin.root
            try await admin.store.write { tx in
                try tx.insert(
                    OAuthClient(
                        id: "television",
                        name: "Television",
                        secretHash: nil,
                        redirectURIs: [],
                        postLogoutRedirectURIs: [],
                        isFirstParty: false,
                        createdAt: 1
                    )
                )
                let session = try #require(try tx.sessions(of: root).last)
                _ = try tx.deleteSession(id: session.id, of: root)
                var other = session
                other.clientID = "television"
                try tx.insert(other)
            }
            #expect(try await Self.refusals(of: admin.person) == ["404 not_found"])
        }
    }

    @Test func `takes no request of another page`() async throws {
        try await withAdministrators { (admin: AdminFixture) async throws in
            for origin in ["https://evil.example", "null", "http://localhost:8081", "http://LOCALHOST:8080"] {
                admin.person.origin = origin
                #expect(try await Self.refusals(of: admin.person) == ["403 origin_not_allowed"], "\(origin)")
            }
            admin.person.origin = admin.world.origins[0]
            let cross: HTTPFields = [AdminFixture.fetchSite: "cross-site"]
            #expect(try await Self.refusals(of: admin.person, Self.all, cross) == ["403 origin_not_allowed"])
            admin.person.origin = nil
            for site in ["cross-site", "same-site", "none", ""] {
                let fields: HTTPFields = [AdminFixture.fetchSite: site]
                #expect(try await Self.refusals(of: admin.person, Self.all, fields) == ["403 origin_not_allowed"])
            }
        }
    }

    @Test func `is before the page itself, which others do not find`() async throws {
        try await withAdministrators { admin in
            #expect(try await admin.person.get("/admin").status == .ok)
            let stranger = admin.world.visitor()
            let (page, nothing) = (try await stranger.get("/admin"), try await stranger.get("/nothing"))
            #expect(page.status == .notFound && page.body == nothing.body)
            try await stranger.register("stranger")
            #expect(try await stranger.get("/admin").body == nothing.body)
        }
        try await withService { world in
            let stranger = world.visitor()
            try await stranger.register("olga")
            #expect(try await stranger.get("/admin").status == .notFound)
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .options])
    func `answers a wrong method at the page as the other pages do`(method: HTTPRequest.Method) async throws {
        try await withAdministrators { admin in
            for visitor in [admin.person, admin.world.visitor()] {
                let (answer, other) = (
                    try await visitor.send(method, "/admin", nil), try await visitor.send(method, "/account", nil)
                )
                #expect(answer.status == .methodNotAllowed && answer.headers[.allow] == "GET, HEAD")
                #expect(answer.status == other.status && answer.headers[.allow] == other.headers[.allow])
            }
        }
    }

    @Test func `needs a group that can exist`() throws {
        var configuration = ServerConfiguration()
        configuration.adminGroup = "Admins"
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }
}
