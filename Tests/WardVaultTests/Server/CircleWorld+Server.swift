import Testing
import WardLog
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

extension CircleWorld {
    /// Whether the server has what the members need of each other, and the member is let in.
    func checkMembers(
        at server: SyncServerFixture,
        much: Bool = true,
        titles expected: Set<String> = []
    ) async throws {
        try await self[1].rekeyCircle(VaultFixture.passphrase())
        try await self[1].add(Item(title: "of the member"))
        for number in [1, 0] {
            let report = try await server.sync(self[number]).run()
            #expect(report.serverTroubles.isEmpty, "\(number)")
        }
        let there = Set(
            try await server.store.entries(of: self[0].id, after: 0, SyncPage(entries: 2_000, hasBlobs: false))
                .map(\.hash)
        )
        for number in 0..<2 {
            let own = try await self[number].records(after: 0)
            #expect(own.filter { !there.contains($0.entry.hash) }.map(\.sequence) == [], "\(number)")
        }
        for number in 0..<2 {
            let shown = try await titles(number)
            #expect(shown.contains("of the member") && shown.contains("much 99") == much, "\(number)")
            #expect(shown == (try await titles(1)) && expected.isSubset(of: shown), "\(number)")
        }
        try await close()
    }
}
