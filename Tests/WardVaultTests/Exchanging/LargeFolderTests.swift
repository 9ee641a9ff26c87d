import Foundation
import Testing
import WardLog
import WardSync
import WardTesting
import WardWebAuthn

@testable import WardVault

/// A folder keeps the data of what was removed long ago: nobody takes it out of the segments.
@Suite struct `A device that joins through a large folder` {
    @Test func `takes the data that the vault must keep, and leaves out the rest`() async throws {
        let world = try await CircleWorld(devices: 1)
        let notes = SecretText(String(repeating: "x", count: 100_000))
        let gone = try await world[0].add(Item(title: "gone", notes: notes))
        try await world[0].add(Item(title: "stays"))
        try await world.sync(0)
        try await world[0].write { try $0.purge(gone) }
        world.fixtures[0].world.advance(by: 31 * 86_400)
        let fixture = try VaultFixture(now: 1_700_000_000 + 32 * 86_400)
        let pending = try PendingDevice(name: "device 1", system: "test", fixture.environment)
        let bytes = try await world[0].admit(pending.request, VaultFixture.passphrase())
        try await world.sync(0)
        let reply = try PairingReply(bytes, for: pending)

        let everything = try world.records()
        var limits = VaultLimits()
        limits.bytes = everything.reduce(0) { $0 + $1.size } - 1
        let remote = FolderRemote(folder: world.folder.path, vault: world[0].id)
        let now = fixture.environment.effects.now()
        let (records, _) = try remote.allRecords(within: limits) {
            Vault.needingData($0, toJoinWith: reply, now: now)
        }
        #expect(Set(records.map(\.entry)) == Set(everything.map(\.entry)))
        let left = zip(everything, records).filter { $0.blob != nil && $1.blob == nil }
        #expect(left.count == 1 && left.allSatisfy { $0.0.size > 100_000 })
        let vault = try await Vault.join(
            pending,
            reply,
            VaultFixture.passphrase(),
            records: records,
            at: fixture.location,
            environment: fixture.environment
        )
        #expect(try await vault.summaries().map(\.title).sorted() == ["before", "stays"])
        _ = try await vault.verifyLog()
        try await vault.close()
        try await world.close()
    }
}
