import Testing
import WardTesting
import WardVault
import WardWebAuthn

@Suite struct `The trash` {
    private static let day: Int64 = 86_400

    /// A vault with one item in the trash, and one that is changed to let the log grow.
    private func prepare(_ fixture: VaultFixture) async throws -> (vault: Vault, old: ItemID, used: ItemID) {
        let vault = try await fixture.create()
        let old = try await vault.add(Item(title: "old"))
        let used = try await vault.add(Item(title: "used"))
        try await vault.write { try $0.trash(old) }
        return (vault, old, used)
    }

    /// Lets days pass, each with a change.
    private func use(_ vault: Vault, _ item: ItemID, _ fixture: VaultFixture, days: Int, every step: Int = 1)
        async throws
    {
        for day in stride(from: step, through: days, by: step) {
            fixture.world.advance(by: Self.day * Int64(step))
            try await vault.edit(item) { $0.title = "used on day \(day)" }
        }
    }

    @Test(arguments: [1, 3]) func `empties itself of what the log shows to have lain there for thirty days`(
        step: Int
    ) async throws {
        let fixture = try VaultFixture()
        let (vault, old, used) = try await prepare(fixture)
        try await use(vault, used, fixture, days: 30, every: step)
        #expect(try await vault.emptyExpiredTrash() == 0)
        try await use(vault, used, fixture, days: 3, every: step)
        let new = try await vault.add(Item(title: "new"))
        try await vault.write { try $0.trash(new) }
        #expect(try await vault.emptyExpiredTrash() == 1)
        #expect(try await vault.emptyExpiredTrash() == 0)
        #expect(try await vault.summaries(inTrash: true).map(\.id) == [new])
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(old) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.history(of: old) }
        #expect(try await vault.verifyLog().purged == 1)
        try await vault.close()
    }

    @Test(arguments: [6, 40, 400, 40_000])
    func `removes nothing on a clock that leapt forward for a day, and nothing after it came back`(
        days: Int64
    ) async throws {
        let fixture = try VaultFixture()
        let (vault, _, used) = try await prepare(fixture)
        try await use(vault, used, fixture, days: 25)
        fixture.world.advance(by: days * Self.day)
        #expect(try await vault.emptyExpiredTrash() == 0)
        // A day of work with the wrong clock: the log has entries from the future.
        for hour in 0..<8 {
            try await vault.edit(used) { $0.title = "hour \(hour)" }
            #expect(try await vault.emptyExpiredTrash() == 0)
            fixture.world.advance(by: 3600)
        }
        fixture.world.advance(by: -days * Self.day)
        #expect(try await vault.emptyExpiredTrash() == 0)
        try await use(vault, used, fixture, days: 4)
        #expect(try await vault.emptyExpiredTrash() == 0)
        try await vault.close()
    }

    @Test func `keeps what was thrown away while the clock was in the future`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let used = try await vault.add(Item(title: "used"))
        fixture.world.advance(by: 400 * Self.day)
        let old = try await vault.add(Item(title: "old"))
        try await vault.write { try $0.trash(old) }
        fixture.world.advance(by: -400 * Self.day)
        try await use(vault, used, fixture, days: 60)
        #expect(try await vault.emptyExpiredTrash() == 0)
        #expect(try await vault.emptyTrash() == 1)
        try await vault.close()
    }

    @Test func `counts from the log when the clock stood at its beginning while something was thrown away`()
        async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let used = try await vault.add(Item(title: "used"))
        let now = fixture.environment.effects.now()
        fixture.world.advance(by: -now)
        let old = try await vault.add(Item(title: "old"))
        try await vault.write { try $0.trash(old) }
        fixture.world.advance(by: now + 1)
        try await vault.edit(used) { $0.title = "today" }
        #expect(try await vault.emptyExpiredTrash() == 0)
        try await use(vault, used, fixture, days: 32)
        #expect(try await vault.emptyExpiredTrash() == 1)
        try await vault.close()
    }

    @Test func `is emptied at once when a person says so`() async throws {
        let fixture = try VaultFixture()
        let (vault, old, used) = try await prepare(fixture)
        #expect(try await vault.emptyTrash() == 1)
        #expect(try await vault.emptyTrash() == 0)
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(old) }
        #expect(try await vault.summaries().map(\.id) == [used])
        try await vault.close()
    }
}
