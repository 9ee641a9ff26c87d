import Testing
import WardDownload
import WardLog

@testable import WardSync
@testable import WardVault

/// A server shows entries, and keeps their data back.
@Suite struct `A server that keeps data back` {
    /// Three devices, of which two sync with a server.
    private func begin() async throws -> (server: SyncServerFixture, world: CircleWorld, syncs: [ServerSync]) {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let syncs = [try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1])]
        for sync in syncs + syncs { _ = try await sync.run() }
        return (server, world, syncs)
    }

    /// Shows entries without their data.
    private static func withholding(_ hash: [UInt8]) -> SyncServerFixture.Between {
        { request, ask in
            var answer = try await ask(request)
            guard request.method == .get, request.url.contains("/entries"), answer.status == 200,
                let entries = ServerTampering.entries(of: answer)
            else { return answer }
            let tag = answer.fields["etag"]
            let shown = entries.map { entry in
                guard entry.record.entry.hash == hash else { return entry }
                return ServerPage.Numbered(number: entry.number, record: LogRecord(entry: entry.record.entry))
            }
            ServerTampering.show(shown, upTo: 0, in: &answer)
            answer.fields["etag"] = tag
            return answer
        }
    }

    /// The operations on the circle that a device wrote last.
    private func operations(_ vault: Vault, after sequence: UInt64) async throws -> [LogRecord] {
        try await vault.records(after: 0).filter { $0.sequence > sequence && $0.changesCircle }
    }

    /// Everything that names the removal waits for it, so nobody must take that for a sync that ended well.
    @Test func `of a removal is at fault`() async throws {
        let (server, world, syncs) = try await begin()
        let last = try await world[0].lastOwnSequence()
        let lost = try await world.id(2)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[0].add(Item(title: "after the removal"))
        _ = try await syncs[0].run()
        let removal = try #require(try await operations(world[0], after: last).first)
        server.between(Self.withholding(removal.entry.hash))
        try await world[1].add(Item(title: "mine"))
        for _ in 0..<2 { await #expect(throws: ServerError(.hides)) { try await syncs[1].run() } }
        #expect(try await world.members(1).count == 3)
        server.between(nil)
        #expect(try await syncs[1].run().troubles.isEmpty)
        #expect(try await world.members(1) == ["device 0", "device 1"])
        #expect(try await world.titles(1) == ["after the removal", "before", "mine"])
        try await world.close()
    }

    /// A device could bring the operation without its header, in one upload with the next one.
    @Test func `of a new key that another one has replaced since may be honest`() async throws {
        let (server, world, syncs) = try await begin()
        let last = try await world[0].lastOwnSequence()
        for _ in 0..<2 { try await world[0].rekeyCircle(VaultFixture.passphrase()) }
        _ = try await syncs[0].run()
        let keys = try await operations(world[0], after: last)
        let first = try #require(keys.first).entry.hash
        #expect(keys.count == 2)
        server.between(Self.withholding(first))
        let report = try await syncs[1].run()
        #expect(report.troubles == [.withheld(entry: first)] && report.taken == 0 && report.lacksEntries)
        server.between(nil)
        let after = try await syncs[1].run()
        #expect(after.taken == 2 && !after.lacksEntries)
        try await world.close()
    }
}
