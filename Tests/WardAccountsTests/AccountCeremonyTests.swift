import Testing
import WardAccounts
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// The relying party's ceremonies in the transactions of accounts.
@Suite struct `Ceremonies over accounts` {
    private let world = TestEffects()
    private let store = MemoryAccountStore()
    private let suspending = SuspendingAccountStore()
    private let origin = "https://example.com"

    private func relyingParty() throws -> RelyingParty {
        try RelyingParty(id: "example.com", name: "Example", origins: [origin], effects: world.effects)
    }

    /// Makes an account with a passkey, both in the transaction of the registration.
    private func register(
        _ name: String,
        _ authenticator: inout VirtualAuthenticator,
        in store: some AccountStore
    ) async throws -> (Account, Passkey) {
        let relyingParty = try relyingParty()
        let account = Account(
            id: .random(using: world.randomBytes),
            username: try Username(name),
            displayName: name,
            userHandle: .random(world.effects),
            createdAt: world.now
        )
        let user = PublicKeyCredentialUserEntity(id: account.userHandle, name: name, displayName: name)
        let start = try await relyingParty.beginRegistration(for: user, in: store)
        let response = try authenticator.create(start.options)
        let (_, passkey) = try await store.write { tx in
            try await relyingParty.finishRegistration(start.ceremony, response, in: tx) { verified in
                try await tx.insert(account)
                return Passkey(verified.credential, of: account.id, named: "Laptop", createdAt: account.createdAt)
            }
        }.get()
        return (account, passkey)
    }

    @Test func `a registration makes the account and its passkey, a sign-in notes its time`() async throws {
        let relyingParty = try relyingParty()
        var authenticator = VirtualAuthenticator(origin: origin, effects: world.effects)
        authenticator.behaviour.signCountStep = 1
        let (account, made) = try await register("ada", &authenticator, in: store)
        #expect(made.name == "Laptop" && made.lastUsedAt == nil && made.record.userHandle == account.userHandle)
        #expect(try await store.read { try $0.passkeys(of: account.id) } == [made])

        world.advance(by: 60)
        let now = world.now
        let start = try await relyingParty.beginAuthentication(of: account.userHandle, in: store)
        #expect(start.options.allowCredentials == [made.record.descriptor])
        let json = try authenticator.get(start.options).json
        let (verified, used) = try await relyingParty.finishAuthentication(start.ceremony, json, in: store) {
            passkey,
            verified in
            #expect(passkey.record == verified.credential)
            passkey.lastUsedAt = now
        }
        #expect(used.lastUsedAt == now && used.record == verified.credential && used.record.signCount == 2)
        #expect(try await store.read { try $0.passkeys(of: account.id) } == [used])
    }

    @Test func `a passkey of another account does not answer for a name`() async throws {
        let relyingParty = try relyingParty()
        var ada = VirtualAuthenticator(origin: origin, effects: world.effects)
        var eve = VirtualAuthenticator(origin: origin, effects: world.effects)
        let (account, _) = try await register("ada", &ada, in: store)
        _ = try await register("eve", &eve, in: store)
        let start = try await relyingParty.beginAuthentication(of: account.userHandle, in: store)
        var open = start.options
        open.allowCredentials = []
        eve.behaviour.returnsUserHandle = false
        let json = try eve.get(open).json
        await #expect(throws: VerificationError(.credentialNotFound, .authentication(6), "")) {
            try await relyingParty.finishAuthentication(start.ceremony, json, in: store)
        }
    }

    @Test func `a ceremony whose row cannot be read is gone, and answers nobody`() async throws {
        let id = try #require(CeremonyID(world.randomBytes(16)))
        try await store.write { try $0.insert(CeremonyRecord(id: id.bytes, payload: [0xa0], expiresAt: .max)) }
        #expect(try await store.write { try await $0.takeCeremony(id: id) as Ceremony? } == nil)
        #expect(try await store.write { try $0.takeCeremony(id: id.bytes) as CeremonyRecord? } == nil)
    }

    @Test func `two answers to one challenge, on one thread, a thousand times: exactly one signs in`() async throws {
        let relyingParty = try relyingParty()
        var authenticator = VirtualAuthenticator(origin: origin, effects: world.effects)
        let (account, _) = try await register("ada", &authenticator, in: suspending)
        for _ in 0..<1_000 {
            let start = try await relyingParty.beginAuthentication(of: account.userHandle, in: suspending)
            let json = try authenticator.get(start.options).json
            let outcomes = try await OneThread.run { [suspending] in
                await withTaskGroup(of: String.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            do {
                                _ = try await relyingParty.finishAuthentication(start.ceremony, json, in: suspending)
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
        }
        // Each pair met: the loser had read the challenge too, and found it gone when it ran again.
        #expect(suspending.conflictCount >= 1_000)
    }
}
