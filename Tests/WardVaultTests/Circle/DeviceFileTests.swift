import Synchronization
import Testing

@testable import WardVault

/// The keys of a device on its disk, which a passphrase must open whatever happens to the circle.
@Suite struct `The keys of a device` {
    private func remove(
        _ world: CircleWorld,
        _ other: Int,
        by number: Int,
        keepsSecretKey: Bool = true
    ) async throws {
        try await world[number].removeDevices(
            [world.id(other)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: keepsSecretKey
        )
    }

    /// It takes a key that is sealed to it together with what makes it removed, and keeps its header, which does not have that key.
    @Test func `stay with its header if it is removed together with a new key`() async throws {
        let world = try await CircleWorld(devices: 4)
        try await world.meet()
        // Its own removal, by a device that is removed too, was first because of what others saw. The key of the other removal is in force.
        try await remove(world, 2, by: 1)
        try await remove(world, 1, by: 2)
        try await remove(world, 2, by: 0)
        try await world[2].add(Item(title: "of the removed"))
        _ = try await world[3].take(world[2].records(after: 0))
        try await world[3].add(Item(title: "of the witness"))
        for number in [2, 3, 0] { try await world.sync(number) }
        // A removed device has the key in force, so nothing but another key goes out.
        await #expect(throws: VaultError(.conflict, "")) { try await world.join(by: 0) }
        await #expect(throws: VaultError(.conflict, "")) {
            try await world[0].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("other"))
        }
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.sync(0)
        try await world.join(by: 0)
        try await world.sync(1)
        #expect(try await !world.overview(1).isMember)
        try await world.reopen(1)
        #expect(try await world.overview(1).devices.contains { $0.isThisDevice })
        try await world.close()
    }

    @Test func `stay if a recovery fails, because something may be sealed to them alone`() async throws {
        let world = try await CircleWorld(devices: 1)
        let full = Disk()
        try await world.join(by: 0, beforeWrite: full.step)
        let before = try await world.id(1)
        try await remove(world, 1, by: 0)
        for number in 0..<2 { try await world.sync(number) }
        #expect(try await !world.overview(1).isMember)
        full.refuses(true)
        await #expect(throws: VaultError(.diskFull, "")) {
            try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        }
        full.refuses(false)
        #expect(try await world.id(1) == before)
        try await world.reopen(1)
        #expect(try await world.id(1) == before)
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        let after = try await world.id(1)
        #expect(after != before)
        try await world[1].add(Item(title: "yes"))
        try await world.reopen(1, "recovered")
        #expect(try await world.id(1) == after)
        try await world.meet()
        #expect(try await world.titles(0) == ["before", "yes"])
        try await world.close()
    }

    /// A removed device has the earlier Secret Key, and so may a thief.
    @Test func `come back with the Secret Key in force, and not with an earlier one`() async throws {
        let world = try await CircleWorld(devices: 2)
        let old = try await world[1].secretKey()
        try await remove(world, 1, by: 0, keepsSecretKey: false)
        let new = try await world[0].secretKey()
        for number in 0..<2 { try await world.sync(number) }
        #expect(!old.bytes.isEqual(to: new.bytes))
        #expect(try await world[1].secretKey().bytes.isEqual(to: old.bytes))
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world.meet()
        for number in 0..<2 {
            try await world.reopen(number, "recovered")
            #expect(try await world[number].secretKey().bytes.isEqual(to: new.bytes), "\(number)")
        }
        try await world.close()
    }
}

/// A disk that can be full.
private final class Disk: Sendable {
    private let isFull = Mutex(false)

    func refuses(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }

    @Sendable func step(_ step: WriteStep) throws {
        if step == .commit, isFull.withLock({ $0 }) { throw VaultError(.diskFull, "the disk is full") }
    }
}
