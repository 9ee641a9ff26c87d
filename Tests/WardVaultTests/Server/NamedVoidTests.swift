import Testing
import WardDownload
import WardSync

@testable import WardVault

/// A member read in a folder what a removed device wrote after its removal, and what the member writes names it.
@Suite struct `A member that names what does not count` {
    /// The server knows that the third device was removed. The folder does not, and has what that device wrote after it.
    private func worldOfFlood(_ server: SyncServerFixture, _ flood: [Int]) async throws -> CircleWorld {
        let world = try await CircleWorld.met(3)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        for number in 1..<3 { _ = try await server.sync(world[number]).run() }
        let thief = try await world.id(2)
        try await world[0].removeDevices([thief], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for (part, count) in flood.enumerated() {
            if part > 0 { try await world[2].rekeyCircle(VaultFixture.passphrase()) }
            try await world[2].write {
                for number in 0..<count { try $0.add(Item(title: "does not count \(part) \(number)")) }
            }
        }
        for number in [2, 1] { try await world.sync(number) }
        _ = try await server.sync(world[0]).run()
        return world
    }

    /// What a removed device wrote is not taken without an entry that names it, and here it is too much for one upload.
    @Test(arguments: [[3], [520], [510, 510]])
    func `brings what it wrote, also after much that does not count`(flood: [Int]) async throws {
        let server = SyncServerFixture()
        let world = try await worldOfFlood(server, flood)
        try await world[1].add(Item(title: "between"))
        try await world.checkMembers(at: server, much: false, titles: ["between"])
    }

    /// Nothing else is held up by that, and it is tried once in a run.
    @Test func `waits with what it wrote while the server has no room for that`() async throws {
        let server = SyncServerFixture()
        let world = try await worldOfFlood(server, [520])
        for number in 0..<20 { try await world[1].add(Item(title: "between \(number)")) }
        server.between { request, ask in
            guard request.fields["ward-named"] != nil else { return try await ask(request) }
            let problem = Array(#"{"code":"quota_exceeded","of":"device"}"#.utf8)
            return .init(status: 507, fields: ["content-type": "application/problem+json"], body: problem)
        }
        let before = server.seen.count
        await #expect(throws: ServerError(.quotaExceeded)) { try await server.sync(world[1]).run() }
        #expect(server.seen.count - before < 40)
        server.between(nil)
        try await world.checkMembers(at: server, much: false, titles: ["between 0", "between 19"])
    }

    /// The session is one of the recovery key then.
    @Test func `brings what it wrote when a recovery key brought it back`() async throws {
        let server = SyncServerFixture()
        let world = try await worldOfFlood(server, [520])
        try await world[1].add(Item(title: "between"))
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(),
            recoveryKey: world.recoveryKey,
            keepsSecretKey: true
        )
        _ = try await server.sync(world[0]).run()
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world[1].add(Item(title: "after"))
        let report = try await server.sync(world[1]).run()
        #expect(report.serverTroubles.isEmpty)
        _ = try await server.sync(world[0]).run()
        #expect(try await world.titles(0).contains("after"))
        try await world.close()
    }
}
