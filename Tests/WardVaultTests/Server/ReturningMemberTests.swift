import Synchronization
import Testing
import WardDownload
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// A member that a stolen device removed, and that is one again, is the only one that brings all this to a server.
///
/// A server ends the session of a device that is removed, so the device cannot bring later what shows that its removal does not count.
@Suite struct `A member that is back` {
    /// The third device removes the second one, and writes what does not count. The first one writes much and removes the third one.
    private func world(_ server: SyncServerFixture?, items: Int = 1, void: Int = 3) async throws -> CircleWorld {
        let world = try await CircleWorld.met(3, items: items)
        let (member, thief) = try await (world.id(1), world.id(2))
        if let server {
            _ = try await server.sync(world[0], invitation: server.invite()).run()
            for number in 1..<3 { _ = try await server.sync(world[number]).run() }
        }
        for number in 0..<100 { try await world[0].add(Item(title: "much \(number)")) }
        try await world[0].removeDevices([thief], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[2].removeDevices([member], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[2].write { for number in 0..<void { try $0.add(Item(title: "does not count \(number)")) } }
        // The member hears of its own removal first.
        for number in [2, 1] { try await world.sync(number) }
        #expect(try await !world.overview(1).isMember)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.overview(1).isMember)
        return world
    }

    /// Two devices remove the second one. What shows that the removal of the second of them does not count knows that of the first.
    private func worldOfTwoThieves(_ server: SyncServerFixture?) async throws -> CircleWorld {
        let world = try await CircleWorld.met(4)
        let (member, thief, other) = try await (world.id(1), world.id(2), world.id(3))
        if let server {
            _ = try await server.sync(world[0], invitation: server.invite()).run()
            for number in 1..<4 { _ = try await server.sync(world[number]).run() }
        }
        for number in 0..<100 { try await world[0].add(Item(title: "much \(number)")) }
        try await world[0].removeDevices([thief], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [2, 3] {
            try await world[number]
                .removeDevices([member], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        }
        for number in [2, 0] { try await world.sync(number) }
        // Operations that follow each other go in one upload.
        try await world[0].add(Item(title: "between"))
        try await world[0].removeDevices([other], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world.sync(3)
        try await world.sync(1)
        #expect(try await !world.overview(1).isMember)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.overview(1).isMember)
        return world
    }

    /// A removal that does not remove the member, but the one who removed its thief, makes the removal of the member count where what
    /// takes it away is lacking.
    private func worldOfHelpedThief(_ server: SyncServerFixture?) async throws -> CircleWorld {
        let world = try await CircleWorld.met(4)
        let ids = try await (world.id(0), world.id(1), world.id(2), world.id(3))
        if let server {
            _ = try await server.sync(world[0], invitation: server.invite()).run()
            for number in 1..<4 { _ = try await server.sync(world[number]).run() }
        }
        for number in 0..<100 { try await world[0].add(Item(title: "much \(number)")) }
        try await world[2].removeDevices([ids.1], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[0].removeDevices([ids.2], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world.sync(2)
        try await world[3].removeDevices([ids.0], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world.sync(0)
        try await world[0].add(Item(title: "between"))
        try await world[0].removeDevices(
            [ids.3],
            VaultFixture.passphrase(),
            recoveryKey: world.recoveryKey,
            keepsSecretKey: false
        )
        for number in [3, 1, 0, 1] { try await world.sync(number) }
        for number in 0..<2 { #expect(try await world.members(number) == ["device 0", "device 1"], "\(number)") }
        return world
    }

    /// However much the thief writes: it does not keep away what shows that its removal does not count.
    @Test(arguments: zip([1, 1, 100], [3, 400, 400])) func `brings a vault to a server`(items: Int, void: Int)
        async throws
    {
        let server = SyncServerFixture()
        let world = try await world(nil, items: items, void: void)
        let report = try await server.sync(world[1], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        try await world.checkMembers(at: server)
    }

    @Test(arguments: [3, 400]) func `brings what a server lacks, in few requests`(void: Int) async throws {
        let server = SyncServerFixture()
        let world = try await world(server, void: void)
        let before = server.seen.count
        try await world.checkMembers(at: server)
        // Not one for each entry that was added because another one names it.
        #expect(server.seen.count - before < 40)
    }

    /// The server takes the removal only together with what answers it.
    @Test func `brings a vault to a server, of which two devices removed it`() async throws {
        let server = SyncServerFixture()
        let world = try await worldOfTwoThieves(nil)
        let report = try await server.sync(world[1], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        try await world.checkMembers(at: server)
    }

    @Test func `brings what a server lacks, of which two devices removed it`() async throws {
        let server = SyncServerFixture()
        let world = try await worldOfTwoThieves(server)
        try await world.checkMembers(at: server)
    }

    @Test(arguments: [false, true]) func `stays one at a server, whoever else was removed`(isThere: Bool) async throws {
        let server = SyncServerFixture()
        let world = try await worldOfHelpedThief(isThere ? server : nil)
        if !isThere {
            let report = try await server.sync(world[1], invitation: server.invite()).run()
            #expect(report.serverTroubles.isEmpty)
        }
        try await world.checkMembers(at: server)
    }

    /// The server knows the device only after several uploads, and the first one used the invitation up.
    @Test(arguments: [false, true]) func `that joined late brings a vault`(isInterrupted: Bool) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2, items: 600)
        let invitation = try await server.invite()
        if isInterrupted {
            let uploads = Mutex(0)
            server.between { request, ask in
                let isUpload =
                    request.method == .post && (request.url.hasSuffix("/vaults") || request.url.hasSuffix("/entries"))
                let count = uploads.withLock { count in
                    if isUpload { count += 1 }
                    return count
                }
                if isUpload, count > 2 { throw BoundedDownload.Failure.unreachable }
                return try await ask(request)
            }
            await #expect(throws: ServerError(.unreachable)) {
                try await server.sync(world[1], invitation: invitation).run()
            }
            server.between(nil)
            #expect(try await server.store.vault(world[1].id)?.head ?? 0 > 0)
        }
        let report = try await server.sync(world[1], invitation: invitation).run()
        #expect(report.serverTroubles.isEmpty)
        try await world.checkMembers(at: server, much: false)
    }

    /// The beginning of the circle comes later than the first upload.
    @Test func `brings a large vault from which somebody was removed`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3, items: 600)
        try await world[0].removeDevices(
            [world.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        for number in [0, 1] { try await world.sync(number) }
        let report = try await server.sync(world[0], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        try await world.checkMembers(at: server, much: false)
    }

    /// Nobody else is left who could bring it, and the recovery key introduces the device.
    @Test func `that a recovery key brought back brings a large vault`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(2, items: 1)
        for number in 0..<600 { try await world[0].add(Item(title: "much \(number)")) }
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        let report = try await server.sync(world[1], invitation: server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        let there = try await server.store.entries(of: world[0].id, after: 0, SyncPage(entries: 1_000, hasBlobs: false))
        let all = try await world[1].records(at: 1...world[1].position(), upTo: .max, bytes: .max)
        #expect(all.count > 600 && Set(there.map(\.hash)).isSuperset(of: all.map(\.entry.hash)))
        try await world.close()
    }
}
