import Testing
import WardLog
import WardTesting
@testable import WardVault
import WardWebAuthn

@Suite struct `Codes and passkeys in use` {
    @Test func `a code by the clock is shown with its time left`() async throws {
        let fixture = try VaultFixture(now: 1_700_000_000)
        let vault = try await fixture.create()
        let code = try OneTimePassword("JBSWY3DPEHPK3PXP")
        let id = try await vault.add(Item(title: "a", codes: [code]))
        let shown = try await vault.code(of: id)
        #expect(shown == code.code(at: 1_700_000_000))
        #expect(shown.secondsLeft == 10)
        #expect(try await vault.history(of: id).count == 1)
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.code(of: id, at: 1) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.code(of: id, at: -1) }
        try await vault.close()
    }

    @Test func `a counting code is used up before it is shown`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let secret = Array("12345678901234567890".utf8)
        let id = try await vault.add(Item(title: "a", codes: [OneTimePassword(.hotp(counter: 0), secret: secret)]))
        let before = try await vault.item(id).modifiedAt
        fixture.world.advance(by: 60)
        #expect(try await vault.code(of: id).text == "755224")
        #expect(try await vault.code(of: id).text == "287082")
        try await vault.close()
        let again = try await fixture.unlocked()
        #expect(try await again.code(of: id).text == "359152")
        #expect(try await again.history(of: id).map(\.change) == [.used, .used, .used, .created])
        #expect(try await again.item(id).modifiedAt == before)
        try await again.close()
    }

    @Test func `use of a passkey is remembered, once a day`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let passkey = try Sample.passkey(number: 1)
        let id = try await vault.add(Item(title: "a", passkeys: [passkey]))
        try await vault.recordUse(of: passkey.credentialID)
        #expect(try await vault.passkey(credentialID: passkey.credentialID)?.passkey.lastUsedAt == 1_700_000_100)
        fixture.world.advance(by: 86_500)
        try await vault.recordUse(of: passkey.credentialID)
        fixture.world.advance(by: 86_399)
        try await vault.recordUse(of: passkey.credentialID)
        let used = try await vault.passkey(credentialID: passkey.credentialID)
        #expect(used?.passkey.lastUsedAt == 1_700_086_500)
        #expect(used?.item == id)
        fixture.world.advance(by: 1)
        try await vault.recordUse(of: passkey.credentialID)
        #expect(try await vault.history(of: id).map(\.change) == [.used, .used, .created])
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.recordUse(of: CredentialID([1])!) }
        try await vault.close()
    }

    @Test func `passkeys of a relying party come latest use first, hidden ones on demand`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        func passkey(_ number: UInt8, _ site: String, used: Int64?, hidden: Bool = false) throws -> StoredPasskey {
            var passkey = try Sample.passkey(number: number, site: site)
            passkey.lastUsedAt = used
            passkey.isHidden = hidden
            return passkey
        }
        let first = try await vault.add(
            Item(
                title: "a",
                passkeys: [
                    passkey(1, "example.com", used: nil), passkey(2, "example.com", used: 1_800_000_000),
                    passkey(3, "login.example.com", used: 1_900_000_000),
                ]
            )
        )
        let second = try await vault.add(
            Item(
                title: "b",
                passkeys: [
                    passkey(4, "example.com", used: 1_850_000_000, hidden: true),
                    passkey(5, "example.com", used: 1_750_000_000),
                ]
            )
        )
        let found = try await vault.passkeys(for: "example.com")
        #expect(found.map { $0.passkey.credentialID.bytes[0] } == [2, 5, 1])
        #expect(found.map(\.item) == [first, second, first])
        #expect(try await vault.passkeys(for: "example.com", includingHidden: true).count == 4)
        #expect(try await vault.passkeys(for: "login.example.com").map { $0.passkey.credentialID.bytes[0] } == [3])
        #expect(try await vault.passkeys(for: "com").isEmpty)
        #expect(try await vault.passkeys(for: "").isEmpty)
        await vault.saveIndexNow()
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase())
        #expect(try await vault.passkeys(for: "example.com").map { $0.passkey.credentialID.bytes[0] } == [2, 5, 1])
        #expect(try await vault.passkey(credentialID: CredentialID([UInt8](repeating: 4, count: 32))!)?.item == second)
        #expect(try await vault.passkey(credentialID: CredentialID([UInt8](repeating: 9, count: 32))!) == nil)
        try await vault.close()
    }

    @Test func `a new passkey finds the login it belongs to`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let alice = try await vault.add(
            Item(title: "a", sites: [Site("https://www.example.com/login")], username: "Alice@Example.com")
        )
        let bob = try await vault.add(
            Item(title: "b", sites: [Site("example.com")], username: "", passkeys: [Sample.passkey(number: 1)])
        )
        let other = try await vault.add(Item(title: "c", sites: [Site("example.org")], username: "alice@example.com"))
        try await vault.add(Item(.note, title: "d", sites: [Site("example.com")], username: "carol"))
        func home(_ name: String) async throws -> ItemID? {
            try await vault.home(forPasskeyOf: "example.com", userName: name)
        }
        #expect(try await home("alice@example.com") == alice)
        #expect(try await home("ALICE") == bob)
        #expect(try await home("carol") == nil)
        #expect(try await home("") == nil)
        try await vault.add(Item(title: "e", sites: [Site("example.com")], username: "alice@example.com"))
        #expect(try await home("alice@example.com") == nil)
        // Domains that share their accounts count if nothing is nearer.
        let shared = SharedCredentials([["example.net", "example.org", "example.com"]])
        func near(_ rpID: String, _ name: String) async throws -> ItemID? {
            try await vault.home(forPasskeyOf: rpID, userName: name, joining: shared)
        }
        #expect(try await near("example.net", "bob") == nil)
        #expect(try await near("example.net", Sample.passkey(number: 1).userName) == bob)
        #expect(try await near("login.example.org", "alice@example.com") == other)
        #expect(try await near("example.net", "alice@example.com") == nil)
        try await vault.close()
    }
}

/// What a folder or a server can tell of sign-ins.
@Suite struct `Passkeys in use on a device of a circle` {
    @Test func `are shown at once, and their hours are in no entry`() async throws {
        let world = try await CircleWorld(devices: 2)
        let (vault, time) = (world[0], world.fixtures[0].world)
        let passkeys = try (1...5).map { try Sample.passkey(number: UInt8($0), site: "site\($0).example") }
        for passkey in passkeys { try await vault.add(Item(title: passkey.rpID, passkeys: [passkey])) }
        let before = try await vault.status().entries
        let start = time.effects.now() / 86_400 * 86_400 + 86_400
        var last: [CredentialID: Int64] = [:]
        for day in 0..<30 as Range<Int64> {
            // Each day at nine the person signs in at one site, and at ten past nine at another one.
            for (minute, number) in [(540, day % 5), (550, (day + 2) % 5)] as [(Int64, Int64)] {
                let moment = start + day * 86_400 + minute * 60
                while time.effects.now() < moment {
                    time.advance(by: min(600, moment - time.effects.now()))
                    try await vault.writeDueUses()
                }
                let id = passkeys[Int(number)].credentialID
                try await vault.recordUse(of: id)
                last[id] = moment
                #expect(try await vault.passkey(credentialID: id)?.passkey.lastUsedAt == moment)
                let summaries = try await vault.summaries(at: "https://site\(number + 1).example")
                #expect(summaries.first?.passkeys.first?.lastUsedAt == moment)
            }
        }
        try await world.sync(0)
        let written = try world.records().map(\.entry.entry).filter { $0.time.seconds >= start }
        #expect(written.count > 30)
        #expect(try await vault.status().entries - before <= 60)
        // One batch a day at most, at hours that are not those of the person.
        let times = Set(written.map(\.time.seconds))
        #expect(times.count <= 31)
        let hours = Set(times.map { ($0 - start) / 3600 % 24 })
        #expect(hours.count > 6, "\(hours)")
        // A device that is locked and opened again shows the same.
        try await world.reopen(0)
        for (id, moment) in last {
            #expect(try await world[0].passkey(credentialID: id)?.passkey.lastUsedAt == moment)
        }
        try await world.close()
    }

    @Test func `come with the next change of the item, and to the other devices`() async throws {
        let world = try await CircleWorld(devices: 2)
        let (vault, time) = (world[0], world.fixtures[0].world)
        let passkey = try Sample.passkey(number: 1)
        let id = try await vault.add(Item(title: "a", passkeys: [passkey]))
        time.advance(by: 86_400)
        try await vault.recordUse(of: passkey.credentialID)
        let moment = time.effects.now()
        #expect(try await vault.history(of: id).map(\.change) == [.created])
        try await vault.edit(id) { $0.title = "b" }
        try await world.meet()
        #expect(try await world[1].passkey(credentialID: passkey.credentialID)?.passkey.lastUsedAt == moment)
        // Nothing is left to write.
        time.advance(by: 2 * 86_400)
        try await vault.writeDueUses()
        #expect(try await vault.history(of: id).map(\.change) == [.edited, .created])
        // Another device knows nothing of a use that waits, and gets it with the batch.
        try await vault.recordUse(of: passkey.credentialID)
        let later = time.effects.now()
        time.advance(by: 86_400)
        try await vault.writeDueUses()
        try await world.meet()
        #expect(try await world[1].passkey(credentialID: passkey.credentialID)?.passkey.lastUsedAt == later)
        #expect(try await vault.history(of: id).first?.change == .used)
        try await world.close()
    }

    @Test func `do not wait without end, also when many are used or the clock is put back`() throws {
        var uses = PendingUses()
        for number in 0..<PendingUses.most - 1 {
            uses.note(try #require(CredentialID([UInt8(number / 256), UInt8(number % 256)])), at: 1000, chance: 500)
        }
        #expect(!uses.isDue(1000) && uses.isDue(1500))
        #expect(PendingUses(record: uses.encoded) == uses)
        // The clock was wrong by years when they were noted.
        #expect(uses.isDue(1000 - 90_000))
        uses.note(try #require(CredentialID([255, 255, 255])), at: 1000, chance: 500)
        #expect(uses.isDue(1000))
        #expect(PendingUses(record: [1, 2, 3]) == PendingUses() && PendingUses().encoded == nil)
    }
}
