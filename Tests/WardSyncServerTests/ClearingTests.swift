import Crypto
import HTTPTypes
import Testing
import WardLog
import WardSyncRecords
import WardSyncServer
import WardTesting

@Suite struct `Old contents at a server` {
    /// Lets days pass on which the server runs, and returns how many blobs it cleared.
    private func pass(_ days: Int, at server: SyncFixture) async throws -> Int {
        var count = 0
        for _ in 0..<days {
            server.world.advance(by: 86_400)
            count += try await server.server.clearOldBlobs()
        }
        return count
    }

    private func entries(_ vault: TestVault, at server: SyncFixture) async throws -> [SyncEntry] {
        try await server.store.entries(of: vault.id, after: 0, SyncPage(entries: 10_000))
    }

    private func purge(_ item: UInt8, by device: TestVault.Device) throws -> LogRecord {
        let id = LogItemID(prefix: [item])
        return try device.write(.purge(item: id, parents: device.graph.heads(of: id).map(\.hash)))
    }

    @Test func `go ninety days after a hundred newer revisions were there`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        for number in 0..<151 { try vault[0].edit(1, UInt8(number)) }
        _ = try await server.begin(vault)
        let before = try #require(try await server.store.vault(vault.id))
        // An entry must also say itself that it is old, and a week is for clocks that are behind.
        #expect(try await pass(96, at: server) == 0)
        #expect(try await pass(1, at: server) == 51)
        #expect(try await pass(100, at: server) == 0)
        let found = try await entries(vault, at: server)
        let cleared = found.filter { $0.blob == nil }.map(\.number)
        #expect(cleared == Array(1...52), "the first entry of a vault has none")
        let after = try #require(try await server.store.vault(vault.id))
        #expect(after.bytes == before.bytes - 51 * 16 && after.head == before.head)
        #expect(try await server.store.shares(of: vault.id).map(\.bytes) == [after.bytes])
        // A new device takes the log without what was cleared, and the server goes on.
        let missing = vault[0].log.filter { record in found.contains { $0.hash == record.entry.hash && $0.blob == nil }
        }
        #expect(vault[0].graph.entriesThatNeedBlob(missing).isEmpty)
        let token = try await server.open(vault[0], in: vault.id)
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
    }

    @Test func `go thirty days after the item was removed for good`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        for item in UInt8(1)...2 { try vault[0].edit(item) }
        _ = try purge(1, by: vault[0])
        _ = try await server.begin(vault)
        #expect(try await pass(36, at: server) == 0)
        #expect(try await pass(2, at: server) == 1)
        #expect(try await pass(100, at: server) == 0, "the other item has one revision")
        #expect(try await entries(vault, at: server).filter { $0.blob == nil }.map(\.number) == [1, 2, 4])
    }

    /// The sweep comes first at each start of the service, so no vault may stop it.
    @Test func `stay if the same file was attached again after the removal`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let (file, blob) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        let hash = Array(SHA256.hash(data: file))
        let content = LogOperation.content(ContentEntry(item: LogItemID(prefix: [1]), blobHash: hash))
        try vault[0].write(content, blob: file)
        guard case .revision(var revision) = try vault[0].revision(1, blob: blob) else {
            Issue.record("not a revision")
            return
        }
        revision.contents = [hash]
        try vault[0].write(.revision(revision), blob: blob)
        _ = try purge(1, by: vault[0])
        for _ in 0..<2 { try vault[0].write(content, blob: file) }
        _ = try await server.begin(vault)
        #expect(try await pass(38, at: server) == 2)
        let found = try await entries(vault, at: server)
        #expect(found.filter { $0.blob != nil }.map(\.number) == [5, 6])
        // A new device takes the log without what was cleared.
        let missing = vault[0].log.filter { record in found.contains { $0.hash == record.entry.hash && $0.blob == nil }
        }
        #expect(vault[0].graph.entriesThatNeedBlob(missing).isEmpty)
    }

    /// A stolen device writes a hundred revisions of everything and removes everything for good. The devices that are left need what
    /// was there before, if they removed the thief in time.
    @Test(arguments: [false, true])
    func `stay if a thief had them cleared and was removed`(isRemoved: Bool) async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        for item in UInt8(1)...3 {
            for number in UInt8(0)..<3 { try vault[0].edit(item, number) }
        }
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let own = vault[0].log.filter { $0.blob != nil && !$0.changesCircle }
        #expect(own.count == 9)
        let thief = vault[1]
        for item in UInt8(1)...2 {
            for number in 0..<101 { try thief.edit(item, UInt8(number)) }
        }
        for item in UInt8(2)...3 { _ = try purge(item, by: thief) }
        let stolen = try await server.open(thief, in: vault.id)
        let flood = thief.log.filter { $0.entry.entry.device == thief.id }
        #expect(flood.count >= 204)
        let answer = try await server.upload(flood, to: vault.id, by: stolen)
        try #require(answer.status == .ok, "\(answer)")
        #expect(try await pass(20, at: server) == 0)
        if isRemoved {
            let removal = try vault.remove([thief], by: vault[0])
            let fresh = try await server.open(vault[0], in: vault.id)
            let head = try await server.head(vault.id)
            let removed = try await server.upload([removal], to: vault.id, by: fresh, ifMatch: head)
            try #require(removed.status == .ok, "\(removed)")
        }
        let count = try await pass(100, at: server)
        let there = try await entries(vault, at: server).filter { $0.blob != nil }.map(\.hash)
        let lost = own.filter { !there.contains($0.entry.hash) }
        if isRemoved {
            #expect(count == 0 && lost.isEmpty)
        } else {
            // Otherwise the test would prove nothing.
            #expect(count > 0 && lost.count == 9)
        }
    }

    @Test func `stay while the clock jumps, however far`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try vault[0].edit()
        _ = try purge(1, by: vault[0])
        _ = try await server.begin(vault)
        for days in [1_000, -900, 2_000, -1_500] {
            server.world.advance(by: Int64(days) * 86_400)
            #expect(try await server.server.clearOldBlobs() == 0)
        }
        #expect(try await pass(10, at: server) == 0)
        #expect(try await pass(30, at: server) == 1)
    }

    /// A new device keeps everything between the two in memory.
    @Test func `stay if what allows it is too far away`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try vault[0].edit(1)
        for _ in 0..<36 { try vault[0].edit(2, 7, count: 1_000_000) }
        try vault[0].edit(3)
        for item in [UInt8(1), 3] { _ = try purge(item, by: vault[0]) }
        let log = vault[0].log
        let invitation = try await server.invite()
        try #require(try await server.bring(Array(log[..<3]), by: invitation).status == .created)
        let token = try await server.open(vault[0], in: vault.id)
        for start in stride(from: 3, to: log.count, by: 6) {
            let part = Array(log[start..<min(start + 6, log.count)])
            try #require(try await server.upload(part, to: vault.id, by: token).status == .ok)
        }
        #expect(try await pass(60, at: server) == 1)
        #expect(try await entries(vault, at: server).first { $0.number == 2 }?.blob != nil)
    }
}
