import Testing
import WardLog
import WardWebAuthn

@testable import WardVault

/// Which devices are named as lacking a vault key that others have.
@Suite struct `A device that lacks a key` {
    /// A circle in which device 0 made the key in force and admitted device 2, while device 1 made another key.
    private func world() async throws -> CircleWorld {
        let world = try await CircleWorld.met(2)
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        for _ in 0..<2 { try await world[0].rekeyCircle(VaultFixture.passphrase()) }
        try await world.join(by: 0)
        try await world.meet()
        return world
    }

    private func lacking(_ world: CircleWorld, seenBy number: Int) async throws -> [DeviceID] {
        try await world.overview(number).devices.filter(\.lacksKey).map(\.id)
    }

    @Test func `is named by all until somebody gives it the key`() async throws {
        let world = try await world()
        let new = try await world.id(2)
        for number in 0..<3 { #expect(try await lacking(world, seenBy: number) == [new], "\(number)") }
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        for number in 0..<3 { #expect(try await lacking(world, seenBy: number).isEmpty, "\(number)") }
        try await world.close()
    }

    @Test func `is not named any more after a change of the passphrase by a device that has the key`() async throws {
        let world = try await world()
        try await world[0].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new"))
        try await world.meet()
        for number in 0..<3 { #expect(try await lacking(world, seenBy: number).isEmpty, "\(number)") }
        try await world.close()
    }

    @Test func `is not named any more after a recovery key opened everything for it`() async throws {
        let world = try await world()
        try await world[2].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("new"))
        try await world.meet()
        for number in 0..<3 { #expect(try await lacking(world, seenBy: number).isEmpty, "\(number)") }
        try await world.close()
    }

    @Test func `hands a key on that a header gave it`() async throws {
        let world = try await world()
        try await world[0].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new"))
        try await world.sync(0)
        try await world.sync(2)
        try await world.join(by: 2, "new")
        try await world.meet()
        for number in 0..<4 { #expect(try await lacking(world, seenBy: number).isEmpty, "\(number)") }
        try await world.close()
    }

    @Test(arguments: [true, false])
    func `stays named if a header has another key in place of the one that it lacks`(isRight: Bool) async throws {
        let world = try await world()
        let new = try await world.id(2)
        var thief = try await world[0].stolen(knowing: VaultFixture.words)
        let environment = world.fixtures[0].environment
        let random = environment.effects.randomBytes
        let newcomer = try await world[2].stolen().keys
        let lacked = try #require(thief.keys.names.first { !newcomer.has($0) })
        var keys = newcomer
        keys = try keys.adding(
            isRight ? #require(thief.keys.locked(lacked)) : VaultKeys.drawn(random),
            named: lacked
        )
        var header = try await world[0].currentHeader()
        header.generation += 1
        let current = try keys.choosing(header.keyName)
        header.circle?.keys = try HeaderCircle.sealed(current, thief.vault, environment)
        let encoded = try header.encoded(thief.keys.choosing(header.keyName))
        let record = try thief.write(
            .header(generation: header.generation, hash: VaultHeader.hash(encoded)),
            blob: encoded
        )
        #expect(try await world[1].take([record]).taken == 1)
        #expect(try await lacking(world, seenBy: 1) == (isRight ? [] : [new]))
        try await world.close()
    }
}
