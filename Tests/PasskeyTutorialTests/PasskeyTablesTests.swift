import Foundation
import Testing
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// The tutorial's store, over a real PostgreSQL.
@Suite(.enabled(if: PostgresFixture.programs != nil, "PostgreSQL is not installed: apt-get install postgresql"))
struct `Passkeys beside an existing user table` {
    private let world = TestEffects()
    private let origin = "https://example.com"

    private func relyingParty() throws -> RelyingParty {
        try RelyingParty(id: "example.com", name: "Example", origins: [origin], effects: world.effects)
    }

    /// The user handle of one of the users that were there before.
    private func userHandle(of id: Int64, in store: PasskeyTables) async throws -> UserHandle {
        try #require(try await store.withTransaction { try await $0.userHandle(of: id) })
    }

    /// Adds a passkey to a user, as the tutorial does.
    private func register(
        _ user: UserHandle,
        _ authenticator: inout VirtualAuthenticator,
        in store: PasskeyTables
    ) async throws -> MyPasskey {
        let relyingParty = try relyingParty()
        let entity = PublicKeyCredentialUserEntity(id: user, name: "ada@example.com", displayName: "Ada")
        let start = try await relyingParty.beginRegistration(for: entity, in: store)
        let (ceremony, json) = (start.ceremony, try authenticator.create(start.options).json)
        let (verified, passkey) = try await relyingParty.finishRegistration(ceremony, json, in: store) { verified in
            MyPasskey(record: verified.credential, nickname: "Laptop")
        }
        #expect(passkey.record == verified.credential)
        return passkey
    }

    @Test(arguments: CredentialStoreSuite.checks)
    func `keep every promise of a store, on one thread`(check: CredentialStoreSuite.Check) async throws {
        let store = try await PostgresFixture.shared.value.accountSystem()
        try await OneThread.run {
            try await check.run(on: store, entry: { MyPasskey(record: $0, nickname: "Laptop") }) { userHandle in
                try await store.pool.withConnection { connection in
                    let email = "\(userHandle.base64URL)@example.com"
                    let sql = "INSERT INTO users (email, user_handle) VALUES ($1, $2)"
                    try await connection.query(sql, .text(email), .bytes(userHandle.bytes))
                }
            }
        }
    }

    @Test func `a user with a password adds a passkey and signs in with it`() async throws {
        let store = try await PostgresFixture.shared.value.accountSystem()
        let relyingParty = try relyingParty()
        var authenticator = VirtualAuthenticator(origin: origin, effects: world.effects)
        authenticator.behaviour.signCountStep = 3
        let user = try await userHandle(of: 1, in: store)
        let made = try await register(user, &authenticator, in: store)
        #expect(made.nickname == "Laptop" && made.lastUsedAt == nil)

        let now = world.now
        let start = try await relyingParty.beginAuthentication(of: user, in: store)
        #expect(start.options.allowCredentials == [made.record.descriptor])
        let (ceremony, json) = (start.ceremony, try authenticator.get(start.options).json)
        let (_, used) = try await relyingParty.finishAuthentication(ceremony, json, in: store) { passkey, verified in
            passkey.lastUsedAt = now
        }
        let kept = try await store.withTransaction { try await $0.credentials(of: user) }
        #expect(kept.map(\.record) == [used.record] && kept.map(\.lastUsedAt) == [now])
        #expect(kept.map(\.nickname) == ["Laptop"] && used.record.signCount > made.record.signCount)
        // The user's row is theirs as before, and their passkeys go with it.
        try await store.pool.withConnection { connection in
            let users = try await connection.query("SELECT email FROM users ORDER BY id")
            #expect(try users.rows.map { try $0.text("email") } == ["ada@example.com", "eve@example.com"])
            try await connection.query("DELETE FROM users WHERE id = 1")
            #expect(try await connection.query("SELECT 1 FROM passkeys").rows.isEmpty)
        }
    }

    @Test func `a user who asks twice at once has one user handle, and a user who is not there has none`() async throws
    {
        let store = try await PostgresFixture.shared.value.accountSystem()
        async let first = store.withTransaction { try await $0.userHandle(of: 1) }
        async let second = store.withTransaction { try await $0.userHandle(of: 1) }
        let handles = try await [first, second]
        #expect(handles[0] == handles[1] && handles[0]?.bytes.count == 64)
        #expect(try await userHandle(of: 2, in: store) != handles[0])
        #expect(try await store.withTransaction { try await $0.userHandle(of: 3) } == nil)
    }

    @Test func `two answers to one challenge, on one thread, a thousand times: exactly one signs in`() async throws {
        let store = try await PostgresFixture.shared.value.accountSystem()
        let relyingParty = try relyingParty()
        var authenticator = VirtualAuthenticator(origin: origin, effects: world.effects)
        let user = try await userHandle(of: 1, in: store)
        _ = try await register(user, &authenticator, in: store)
        for _ in 0..<1_000 {
            let start = try await relyingParty.beginAuthentication(of: user, in: store)
            let json = try authenticator.get(start.options).json
            _ = await store.pool.readMostInUse()
            let outcomes = try await OneThread.run {
                await withTaskGroup(of: String.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            do {
                                _ = try await relyingParty.finishAuthentication(start.ceremony, json, in: store)
                                return "accepted"
                            } catch {
                                return (error as? VerificationError)?.code.name ?? "\(error)"
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }.sorted()
                }
            }
            #expect(outcomes == ["accepted", "challenge_not_found"])
            // Both had a transaction open at the same time.
            #expect(await store.pool.readMostInUse() == 2)
        }
    }
}
