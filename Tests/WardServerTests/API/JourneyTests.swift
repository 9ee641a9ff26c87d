import HTTPTypes
import Testing
import WardStoreSQLite
import WardTesting
import WardText
import WardWebAuthn

/// The stores that journeys are made over.
enum TestedStore: String, CaseIterable, Sendable {
    case memory, sqlite, suspending

    func run(_ body: @escaping @Sendable (ServiceFixture) async throws -> Void) async throws {
        switch self {
        case .memory: try await withService(store: MemoryAccountStore(), body)
        case .sqlite: try await withService(store: SQLiteAccountStore.inMemory(), body)
        case .suspending: try await withService(store: SuspendingAccountStore(), body)
        }
    }
}

@Suite struct `Journeys of people` {
    @Test(arguments: TestedStore.allCases)
    func `somebody makes an account, leaves, and comes back in three ways`(store: TestedStore) async throws {
        try await store.run { world in
            let ada = world.visitor()
            let made = try await ada.register("Ada")
            #expect(made.status == .created)
            #expect(made["account", "username"] == "Ada")
            #expect(made["account", "displayName"] == "Ada")
            #expect(made["passkey", "lastUsedAt"] == .null)
            #expect(made["account", "createdAt"] == "2023-11-14T22:13:20Z")
            #expect(made["account", "userHandle"]?.base64URLValue?.count == 64)
            #expect(try await ada.get("account")["account"] == made["account"])

            for name in [nil, "Ada", "ADA"] {
                #expect(try await ada.post("sign-out").status == .noContent)
                #expect(try await ada.get("account").refusal == "401 not_signed_in")
                world.effects.advance(by: 60)
                let back = try await ada.signIn(name)
                #expect(back.status == .ok)
                #expect(back["account"] == made["account"])
                #expect(back["passkey", "lastUsedAt"] != .null)
                #expect(try await ada.isSignedIn())
            }
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `passkeys are added, named and deleted, all but the last`(store: TestedStore) async throws {
        try await store.run { world in
            let ada = world.visitor()
            let first = try await ada.register("ada")["passkey", "id"]?.stringValue ?? ""
            #expect(try await ada.delete("account/passkeys/\(first)").refusal == "409 last_passkey")
            #expect(try await ada.passkeys() == [first])

            world.effects.advance(by: 1)
            let phone = ada.elsewhere()
            phone.authenticator = VirtualAuthenticator(origin: world.origins[0])
            phone.cookie = ada.cookie
            let added = try await phone.register()
            #expect(added.status == .created)
            #expect(added["passkey", "name"] == "Passkey 2")
            #expect(added.headers[.setCookie] == nil, "the session stays the one it was")
            let second = added["passkey", "id"]?.stringValue ?? ""
            #expect(try await ada.passkeys() == [first, second])

            let renamed = try await ada.patch("account/passkeys/\(second)", ["name": "電話 📱"])
            #expect(renamed.status == .ok)
            #expect(renamed["passkey", "name"] == "電話 📱")

            phone.cookie = nil
            #expect(try await phone.signIn("ada").status == .ok)
            #expect(try await phone.delete("account/passkeys/\(first)").status == .noContent)
            #expect(try await phone.passkeys() == [second])
            #expect(try await ada.elsewhere().signIn().refusal == "401 passkey_deleted")
        }
    }

    @Test func `a device that has a passkey already is left out when one is added`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginRegistration([:])
            #expect(start.options.excludeCredentials.map(\.id) == ada.authenticator.credentials.map(\.id))
            #expect(start.options.user.name == "ada")
            #expect(throws: VirtualAuthenticator.Refusal.excluded) { try ada.authenticator.create(start.options) }
        }
    }

    @Test func `a name goes to the first person who takes it, however it is written`() async throws {
        try await withService { world in
            let answer = try await world.visitor().register("Zoë")
            #expect(answer.status == .created)
            for name in ["zoë", "ZOË", "Zoe\u{308}"] {
                let late = world.visitor()
                #expect(try await late.register(name).refusal == "409 username_taken")
                #expect(try await !late.isSignedIn())
                #expect(try await late.signIn().refusal == "401 sign_in_failed", "the orphan passkey opens nothing")
            }
        }
    }

    @Test func `a display name is kept as it was given`() async throws {
        try await withService { world in
            let ada = world.visitor()
            let start = try await ada.beginRegistration(["username": "ada", "displayName": "Ada, Countess"])
            #expect(start.options.user.displayName == "Ada, Countess")
            let answer = try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options))
            #expect(answer["account", "displayName"] == "Ada, Countess")
        }
    }

    @Test func `two hundred people at once want one name, and one gets it`() async throws {
        try await withService(store: SQLiteAccountStore.inMemory()) { world in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await world.visitor().register("ada").status.code }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 409: 199])
        }
    }
}
