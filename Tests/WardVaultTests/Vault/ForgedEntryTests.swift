import Crypto
import Foundation
import GRDB
import Testing
import WardLog
import WardWebAuthn

@testable import WardVault

/// Somebody who can write the file can write whole entries. Only the signature tells that no device of the vault made them.
@Suite struct `An entry that nobody signed` {
    /// Writes an entry behind the last one that removes an item for good, as this device would, but with another key.
    private func forge(_ fixture: VaultFixture, removing id: ItemID) throws {
        try Tampering(fixture.location).run { db in
            let rows = try Data.fetchAll(db, sql: "SELECT entry FROM log ORDER BY position")
            let entries = try rows.map { try SignedEntry(encoded: [UInt8]($0)) }
            let vault = VaultID(genesis: entries[0].payload)
            var graph = LogGraph(vault)
            for (index, entry) in entries.enumerated() {
                try graph.take(entry, at: Int64(index + 1), checksSignature: true)
            }
            let parents = graph.heads(of: id.logged).map(\.hash)
            let entry = try LogChain(graph).next(
                .purge(item: id.logged, parents: parents),
                by: entries[0].entry.device,
                now: fixture.environment.effects.now()
            )
            let key = Curve25519.Signing.PrivateKey()
            let signed = try entry.signed(vault: vault) { [UInt8](try key.signature(for: $0)) }
            try db.execute(
                sql: "INSERT INTO log (position, previous, entry, blob) VALUES (?, 0, ?, NULL)",
                arguments: [entries.count + 1, Data(signed.encoded)]
            )
        }
    }

    @Test(arguments: [true, false])
    func `is refused, with the index and without`(hasIndex: Bool) async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "first"))
        await vault.saveIndexNow()
        try await vault.close()
        if !hasIndex { try fixture.remove(fixture.location.index) }
        #expect(await fixture.refusal() == nil)
        try forge(fixture, removing: id)
        #expect(await fixture.refusal() == .damaged)
    }
}
