import Foundation
import Testing
import WardCBOR
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// Somebody who carries entries puts data beside one that names none. No signature covers it.
@Suite struct `Data beside an entry that names none` {
    /// The folder of two devices, of which one wrote an entry that this version does not know.
    private func begin() async throws -> (world: CircleWorld, hash: [UInt8]) {
        let world = try await CircleWorld.met(2)
        var later = try await world[1].stolen()
        let entry = try later.write(.ignorable(200, ["what": "ever"])).entry
        let remote = FolderRemote(folder: world.folder.path, vault: world[0].id)
        try remote.write([LogRecord(entry: entry, blob: [1, 2, 3])], of: later.id)
        return (world, entry.hash)
    }

    @Test func `is not kept by who reads the folder, nor by a device that joins`() async throws {
        let (world, hash) = try await begin()
        #expect(try world.records().first { $0.entry.hash == hash }?.blob == [1, 2, 3])
        #expect(try await world.sync(0).taken == 1)
        try await world.join(by: 0)
        for number in [0, 2] {
            #expect(try await world[number].stored(beside: hash) == nil, "\(number)")
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }

    @Test func `does not take the place of an honest copy that has none`() async throws {
        let (world, hash) = try await begin()
        let record = try #require(try world.records().first { $0.entry.hash == hash })
        #expect(try await world[0].take([LogRecord(entry: record.entry), record]).taken == 1)
        #expect(try await world[0].stored(beside: hash) == nil)
        try await world.close()
    }

    /// An earlier version of Ward kept it.
    @Test func `that is in the file keeps nobody from a check, a backup or a server`() async throws {
        let (world, hash) = try await begin()
        let fixture = world.fixtures[0]
        try await world.sync(0)
        let position = try #require(try await world[0].positions(of: [hash]).first)
        try await world[0].close()
        try Tampering(fixture.location).execute("UPDATE log SET blob = x'010203' WHERE position = \(position)")
        try await world.reopen(0)
        #expect(try await world[0].stored(beside: hash) == [1, 2, 3])
        _ = try await world[0].verifyLog()
        let path = fixture.folder.path + "/backup.db"
        #expect(try await world[0].backUp(BackupRequest(path: path)).unreadable.isEmpty)
        try await world[0].close()
        let restoration = try VaultRestoration(
            from: path,
            at: fixture.location,
            secretKey: nil,
            needsSecretKey: true,
            environment: fixture.environment
        )
        try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        _ = try await restoration.check(takesOlder: false)
        try await restoration.place(replacing: true).vault.close()
        try await world.reopen(0)
        let server = SyncServerFixture()
        let report = try await server.sync(world[0], invitation: try await server.invite()).run()
        #expect(report.serverTroubles.isEmpty)
        #expect(try await server.store.vault(world[0].id)?.head == world[0].position())
        try await world.close()
    }
}

extension Vault {
    /// The data that the file has beside an entry.
    fileprivate func stored(beside hash: [UInt8]) throws -> [UInt8]? {
        try positions(of: [hash]).first.flatMap { try database.row(at: $0)?.blob }
    }
}
