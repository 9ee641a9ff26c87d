import HTTPTypes
import ServiceLifecycle
import Testing
import WardCBOR
import WardLog
import WardSyncRecords
import WardSyncServer
import WardTesting
import WardText

@Suite struct `A person signs in to bring a vault` {
    @Test func `with codes that the service gives, and the device's own one is the invitation`() async throws {
        let people = AccountsFixture()
        let (server, vault) = (SyncFixture(accounts: people.accounts), try TestVault())
        let begun = try await server.send(.post, "/sync/v1/sign-in")
        #expect(begun.status == .created)
        let code = try #require(begun.cbor?[1]?.textValue)
        #expect(
            begun.cbor == [1: .text(code), 2: "WDJB-MJHT", 3: "https://login.example.com/device", 4: 600, 5: 5]
        )
        #expect(try await server.askSignIn(code).cbor == [1: 0, 2: 5])
        // Nothing can be brought with it before the person has agreed.
        #expect(try await server.bring(vault[0].log, by: code).code == "invitation_not_valid")
        people.answer(code, .waiting(seconds: 10))
        #expect(try await server.askSignIn(code).cbor == [1: 0, 2: 10])
        people.answer(code, .agreed(account: "ada"))
        #expect(try await server.askSignIn(code).cbor == [1: 1])
        #expect(try await server.bring(vault[0].log, by: code).status == .created)
        #expect(try await server.store.vault(vault.id)?.account == "ada")
        #expect(try await server.store.vaults(of: "ada").map(\.id) == [vault.id])
        // One sign-in is for one vault.
        #expect(try await server.bring(TestVault()[0].log, by: code).code == "invitation_not_valid")
        #expect(try await server.bring(vault[0].log, by: code).status == .ok, "the answer was lost")
    }

    @Test func `and learns it again if the answer was lost`() async throws {
        let people = AccountsFixture()
        let server = SyncFixture(accounts: people.accounts)
        let code = try await server.invite(people, as: "ada")
        #expect(try await server.askSignIn(code).cbor == [1: 1])
        server.world.advance(by: SyncLimits.signInLifetime + SyncLimits.longestUpload - 1)
        #expect(try await server.askSignIn(code).cbor == [1: 1])
        server.world.advance(by: 1)
        #expect(try await server.askSignIn(code).code == "sign_in_over")
        #expect(try await server.bring(TestVault()[0].log, by: code).code == "invitation_not_valid")
    }

    /// The service says only once that the person agreed.
    @Test(.timeLimit(.minutes(1)))
    func `and the answer is not lost while the store is busy`() async throws {
        let (people, store) = (AccountsFixture(), MemorySyncStore())
        var accounts = people.accounts
        let answer = accounts.answer
        accounts.answer = { code in
            store.fail(SyncStoreError(.busy))
            return try await answer(code)
        }
        let server = SyncFixture(store, accounts: accounts)
        let code = try await server.beginSignIn()
        people.answer(code, .agreed(account: "ada"))
        async let asked = server.askSignIn(code)
        await server.clock.sleepers(1)
        store.fail(nil)
        server.clock.advance(by: .seconds(1))
        #expect(try await asked.cbor == [1: 1])
        #expect(try await server.bring(TestVault()[0].log, by: code).status == .created)
    }

    @Test func `and is told if the answer is no, or comes too late`() async throws {
        let people = AccountsFixture()
        let server = SyncFixture(accounts: people.accounts)
        let code = try await server.beginSignIn()
        people.answer(code, .refused)
        #expect(try await server.askSignIn(code).code == "sign_in_refused")
        people.answer(code, .over)
        #expect(try await server.askSignIn(code).code == "sign_in_over")
        let random = try #require(SyncToken(server.world.randomBytes(32))).text
        for text in [random, "", "short", random + "A"] {
            #expect(try await server.askSignIn(text).code == "sign_in_over", "\(text)")
        }
        let wrong = try await server.send(.post, "/sync/v1/sign-in/answer", [.contentType: "application/cbor"], [0xa0])
        #expect(wrong.code == "malformed_request")
    }

    @Test func `not where the server has no accounts, or they may have no vault`() async throws {
        var limits = SyncLimits.standard
        limits.vaultsOfAccount = 0
        for server in [SyncFixture(), SyncFixture(limits: limits, accounts: AccountsFixture().accounts)] {
            #expect(try await server.send(.post, "/sync/v1/sign-in").code == "sign_in_not_offered")
            #expect(try await server.askSignIn("A").code == "sign_in_not_offered")
            #expect(try await server.bring(TestVault()[0].log).status == .created)
        }
    }

    @Test func `from an address that the service counts`() async throws {
        let people = AccountsFixture()
        var limits = SyncLimits.standard
        limits.openings = Rate(atOnce: 2, perSecond: 1)
        let server = SyncFixture(limits: limits, accounts: people.accounts, address: { _, _ in "192.0.2.7" })
        _ = try await server.beginSignIn()
        let code = try await server.beginSignIn()
        #expect(people.addresses == ["192.0.2.7", "192.0.2.7"])
        #expect(try await server.send(.post, "/sync/v1/sign-in").code == "too_many_requests")
        #expect(try await server.askSignIn(code).code == "too_many_requests")
    }
}

@Suite struct `An account` {
    @Test func `brings as many vaults as it may have`() async throws {
        let people = AccountsFixture()
        var limits = SyncLimits.standard
        limits.vaultsOfAccount = 2
        let server = SyncFixture(limits: limits, accounts: people.accounts)
        for _ in 0..<2 {
            let answer = try await server.bring(TestVault()[0].log, by: server.invite(people, as: "ada"))
            #expect(answer.status == .created)
        }
        let third = try await server.bring(TestVault()[0].log, by: server.invite(people, as: "ada"))
        #expect(third.code == "too_many_vaults")
        #expect(try await server.bring(TestVault()[0].log, by: server.invite(people, as: "bob")).status == .created)
        #expect(try await server.bring(TestVault()[0].log).status == .created, "an invitation of the operator")
    }

    @Test func `has so much room for all of its vaults`() async throws {
        let people = AccountsFixture()
        var limits = SyncLimits.standard
        limits.accountBytes = 20_000
        let server = SyncFixture(limits: limits, accounts: people.accounts)
        let (first, second, other) = (try TestVault(), try TestVault(), try TestVault())
        for vault in [first, second] {
            try await server.bring(vault[0].log, by: server.invite(people, as: "ada"))
        }
        try await server.bring(other[0].log)
        func upload(_ vault: TestVault) async throws -> Answer {
            let token = try await server.open(vault[0], in: vault.id)
            return try await server.upload([try vault[0].edit(1, 1, count: 12_000)], to: vault.id, by: token)
        }
        #expect(try await upload(first).status == .ok)
        let full = try await upload(second)
        #expect(full.status.code == 507 && full.code == "quota_exceeded" && full.problem?["of"] == "account")
        #expect(try await upload(other).status == .ok, "it is of no account")
        #expect(try await server.store.delete(first.id))
        let token = try await server.open(second[0], in: second.id)
        #expect(try await server.upload(Array(second[0].log.suffix(1)), to: second.id, by: token).status == .ok)
    }

    /// A full account could bring a vault of 8 MiB for each one that it may have.
    @Test func `has no more room for the first entries of a vault`() async throws {
        let people = AccountsFixture()
        var limits = SyncLimits.standard
        limits.accountBytes = 20_000
        let server = SyncFixture(limits: limits, accounts: people.accounts)
        let vault = try TestVault()
        let first = vault[0].log
        try vault[0].edit(1, 1, count: 25_000)
        let code = try await server.invite(people, as: "ada")
        let full = try await server.bring(vault[0].log, by: code)
        #expect(full.status.code == 507 && full.code == "quota_exceeded" && full.problem?["of"] == "account")
        #expect(try await server.store.vault(vault.id) == nil)
        #expect(try await server.bring(first, by: code).status == .created, "the invitation is still there")
    }

    @Test(.timeLimit(.minutes(1)))
    func `that is deleted takes its vaults along, and no others`() async throws {
        let people = AccountsFixture()
        let server = SyncFixture(accounts: people.accounts)
        var vaults: [TestVault] = []
        for account in ["ada", "bob", "ada"] {
            vaults.append(try TestVault())
            try await server.bring(vaults[vaults.count - 1][0].log, by: server.invite(people, as: account))
        }
        let invited = try TestVault()
        try await server.bring(invited[0].log)
        people.delete("ada")
        let upkeep = Task { try await server.server.upkeep.run() }
        for number in [0, 2] {
            while try await server.head(vaults[number].id) != nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(try await server.head(vaults[1].id) != nil)
        #expect(try await server.head(invited.id) != nil)
        upkeep.cancel()
        _ = await upkeep.result
    }

    @Test(.timeLimit(.minutes(1)))
    func `that is deleted takes its vaults along, also after accounts may bring no more`() async throws {
        let (people, vault) = (AccountsFixture(), try TestVault())
        let before = SyncFixture(accounts: people.accounts)
        try await before.bring(vault[0].log, by: before.invite(people, as: "ada"))
        people.delete("ada")
        var limits = SyncLimits.standard
        limits.vaultsOfAccount = 0
        let after = SyncFixture(before.store, limits: limits, accounts: people.accounts)
        let task = Task { try await after.server.upkeep.run() }
        // One sleeps between two signs of life, and one after the deletion.
        await after.clock.sleepers(2)
        #expect(try await after.head(vault.id) == nil)
        task.cancel()
        _ = await task.result
    }

    @Test(.timeLimit(.minutes(1)))
    func `deletes a vault of its own and no other, and a device that waits learns it at once`() async throws {
        let people = AccountsFixture()
        let server = SyncFixture(accounts: people.accounts)
        let (own, foreign, invited) = (try TestVault(), try TestVault(), try TestVault())
        try await server.bring(own[0].log, by: server.invite(people, as: "ada"))
        try await server.bring(foreign[0].log, by: server.invite(people, as: "bob"))
        try await server.bring(invited[0].log)
        for vault in [foreign, invited] {
            #expect(try await !server.server.delete(Hex.encode(vault.id.bytes), of: "ada"))
            #expect(try await server.head(vault.id) != nil)
        }
        let (id, name) = (own.id, Hex.encode(own.id.bytes))
        let token = try await server.open(own[0], in: id)
        #expect(try await !server.server.delete(name.uppercased(), of: "ada"), "an ID has one spelling")
        async let answer = server.get(id, "/entries?after=1&wait=25", by: token)
        await server.clock.sleepers(1)
        #expect(try await server.server.delete(name, of: "ada"))
        #expect(try await answer.code == "session_required")
        #expect(try await server.head(id) == nil)
        #expect(try await !server.server.delete(name, of: "ada"), "it is gone")
    }
}
