import Foundation
import Testing
import WardVault

@Suite struct `Older files` {
    /// Brings yesterday's file back, under this device's memory of today.
    @Test func `yesterday's file is reported as rolled back, and its items are still there for who accepts it`()
        async throws
    {
        let bench = try Bench()
        let vault = try await bench.create()
        let old = try await vault.add(Item(title: "old"))
        try await vault.close()
        let yesterday = try bench.read(bench.location.database)
        let second = try await bench.unlocked()
        let new = try await second.add(Item(title: "new"))
        try await second.close()
        try bench.write(yesterday, to: bench.location.database)

        #expect(await bench.refusal() == .rolledBack)
        #expect(await bench.refusal() == .rolledBack)
        let accepted = try await bench.unlocked(trusting: .thisFile)
        #expect(try await accepted.item(old).title == "old")
        await #expect(throws: VaultError(.itemMissing, "")) { try await accepted.item(new) }
        #expect(try await accepted.status().devices.count == 2)
        try await accepted.add(Item(title: "newer"))
        #expect(try await accepted.verifyLog().devices.count == 2)
        try await accepted.close()
        #expect(await bench.refusal() == nil)
    }

    @Test func `a file that goes another way from the same point is reported too`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        try await vault.close()
        let fork = try bench.copy()
        let mine = try await bench.unlocked()
        try await mine.add(Item(title: "mine"))
        try await mine.add(Item(title: "mine too"))
        try await mine.close()
        let other = try Vault.open(at: Bench.location(fork), environment: bench.environment)
        try await other.unlock(with: Bench.passphrase())
        for number in 0..<10 { try await other.add(Item(title: "other \(number)")) }
        try await other.close()
        try bench.write(bench.read(Bench.location(fork).database), to: bench.location.database)
        #expect(await bench.refusal() == .rolledBack)
    }

    @Test func `a newer file of the same device is taken`() async throws {
        let bench = try Bench()
        try await bench.create().close()
        let copy = try bench.copy()
        let there = try Vault.open(at: Bench.location(copy), environment: bench.environment)
        try await there.unlock(with: Bench.passphrase())
        try await there.add(Item(title: "there"))
        try await there.close()
        try bench.write(bench.read(Bench.location(copy).database), to: bench.location.database)
        let vault = try await bench.unlocked()
        #expect(try await vault.summaries().map(\.title) == ["there"])
        try await vault.close()
    }

    @Test func `an old header in a new file is reported: an old passphrase must not come back`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        try await vault.close()
        let before = try bench.copy()
        let again = try await bench.unlocked()
        try await again.changePassphrase(from: Bench.passphrase(), to: Bench.passphrase("new one"))
        try await again.close()
        try Tampering(bench.location).copyHeader(from: Bench.location(before))
        #expect(await bench.refusal() == .rolledBack)
        #expect(await bench.refusal(trusting: .thisFile) == .rolledBack)
        // Named before a passphrase is stretched, so that the right one changes nothing.
        #expect(await bench.refusal("new one") == .rolledBack)
    }

    @Test func `another vault's file in place is told by the Secret Key`() async throws {
        let bench = try Bench()
        let other = try Bench()
        try await bench.create().close()
        try await other.create().close()
        try bench.write(other.read(other.location.database), to: bench.location.database)
        #expect(await bench.refusal() == .wrongSecretKey)
        try bench.write(other.read(other.location.secretKey), to: bench.location.secretKey)
        #expect(await bench.refusal() == .unknownDevice)
    }

    @Test func `an older index, head or device file changes nothing that is read`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        for number in 0..<60 { try await vault.add(Item(title: "item \(number)")) }
        let first = try #require(await vault.summaries(matching: "item 7").first).id
        try await vault.close()
        let old = try bench.copy()
        let again = try await bench.unlocked()
        for number in 60..<130 { try await again.add(Item(title: "item \(number)")) }
        try await again.edit(first) { $0.title = "changed" }
        try await again.close()
        for path in [\VaultLocation.index, \.head, \.device] {
            try bench.write(bench.read(Bench.location(old)[keyPath: path]), to: bench.location[keyPath: path])
            let read = try await bench.unlocked()
            #expect(try await read.summaries().count == 130)
            #expect(try await read.item(first).title == "changed")
            #expect(try await read.verifyLog().revisions == 131)
            try await read.close()
        }
    }

    @Test func `without a head or a device file the vault asks for consent`() async throws {
        for path in [\VaultLocation.head, \.device] {
            let bench = try Bench()
            let vault = try await bench.create()
            try await vault.add(Item(title: "a"))
            try await vault.close()
            try bench.remove(bench.location[keyPath: path])
            #expect(await bench.refusal() == .unknownDevice)
            #expect(await bench.refusal(trusting: .thisFile) == nil)
            #expect(await bench.refusal() == nil)
        }
    }
}
