import Foundation
import GRDB
import Synchronization
import Testing
import WardTesting
import WardVault

/// What only signatures and chains can show: the part of the log that this device has not seen yet.
@Suite struct `The log` {
    /// A vault whose last entries this device does not remember: four entries known, two more in the file.
    private func prepare(_ fixture: VaultFixture, _ fails: borrowing Mutex<Bool>) async throws -> ItemID {
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        try await vault.add(Item(title: "b"))
        fails.withLock { $0 = true }
        try await vault.edit(id) { $0.title = "c" }
        try await vault.edit(id) { $0.title = "d" }
        try await vault.close()
        fails.withLock { $0 = false }
        return id
    }

    private func withBench(_ body: (VaultFixture, ItemID) async throws -> Void) async throws {
        let fails = Mutex(false)
        let fixture = try VaultFixture { step in
            if step == .head, fails.withLock({ $0 }) { throw POSIXError(.EIO) }
        }
        try await body(fixture, prepare(fixture, fails))
    }

    /// Every byte of the last entry's signature, and a byte of what it signs.
    @Test func `an entry beyond what this device saw must be signed`() async throws {
        try await withBench { fixture, id in
            let original = try fixture.read(fixture.location.database)
            for last in [1, 2, 17, 33, 64] {
                try fixture.write(original, to: fixture.location.database)
                try Tampering(fixture.location).run { db in
                    try db.execute(
                        sql: """
                            UPDATE log SET entry = substr(entry, 1, length(entry) - \(last))
                            || x'a5' || substr(entry, length(entry) - \(last) + 2) WHERE position = 6
                            """
                    )
                }
                #expect(await fixture.refusal() == .damaged)
            }
            try fixture.write(original, to: fixture.location.database)
            let vault = try await fixture.unlocked()
            #expect(try await vault.item(id).title == "d")
            try await vault.close()
        }
    }

    @Test func `what this device has not seen can be cut off, and what it has seen cannot`() async throws {
        try await withBench { fixture, id in
            try Tampering(fixture.location).execute("DELETE FROM log WHERE position = 6")
            let vault = try await fixture.unlocked()
            #expect(try await vault.item(id).title == "c")
            try await vault.close()
            try Tampering(fixture.location).execute("DELETE FROM log WHERE position = 5")
            #expect(await fixture.refusal() == .rolledBack)
        }
    }

    @Test func `times never run backwards, whatever the clock does`() async throws {
        let fixture = try VaultFixture(now: 1_700_000_000)
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        fixture.world.advance(by: -1_000_000)
        try await vault.edit(id) { $0.title = "b" }
        fixture.world.advance(by: -.max / 2)
        try await vault.edit(id) { $0.title = "c" }
        let times = try await vault.history(of: id).map(\.time)
        #expect(times == times.sorted(by: >))
        #expect(times.allSatisfy { $0 >= 1_700_000_000 })
        #expect(try await vault.verifyLog().revisions == 3)
        try await vault.close()
    }

    @Test func `padding hides sizes in steps, and gives the content back`() throws {
        var lengths: Set<Int> = []
        for length in Array(0..<2000) + [4092, 4093, 8188, 8189, 100_000, 1 << 20] {
            let content = [UInt8](repeating: 1, count: length)
            var padded = Padding.pad(content)
            let size = padded.count
            #expect(size >= length + 4)
            #expect(size % 256 == 0)
            #expect(length < 4092 ? size - length < 260 : Double(size) < Double(length + 4) * 1.125 + 256)
            #expect(Padding.unpad(padded) == content)
            if length < 2000 { lengths.insert(size) }
            guard size > length + 4 else { continue }
            padded[size - 1] = 1
            #expect(Padding.unpad(padded) == nil, "\(length)")
        }
        #expect(lengths == [256, 512, 768, 1024, 1280, 1536, 1792, 2048])
    }
}
