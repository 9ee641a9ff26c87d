import Foundation
import Testing
import WardVault

@Suite struct `Older files` {
    /// Brings yesterday's file back, under this device's memory of today.
    @Test func `yesterday's file is reported as rolled back, and its items are still there for who accepts it`()
        async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let old = try await vault.add(Item(title: "old"))
        try await vault.close()
        let yesterday = try fixture.read(fixture.location.database)
        let second = try await fixture.unlocked()
        let new = try await second.add(Item(title: "new"))
        try await second.close()
        try fixture.write(yesterday, to: fixture.location.database)

        #expect(await fixture.refusal() == .rolledBack)
        #expect(await fixture.refusal() == .rolledBack)
        let accepted = try await fixture.unlocked(trusting: .thisFile)
        #expect(try await accepted.item(old).title == "old")
        await #expect(throws: VaultError(.itemMissing, "")) { try await accepted.item(new) }
        #expect(try await accepted.status().devices.count == 2)
        try await accepted.add(Item(title: "newer"))
        #expect(try await accepted.verifyLog().devices.count == 2)
        try await accepted.close()
        #expect(await fixture.refusal() == nil)
    }

    @Test func `a file that goes another way from the same point is reported too`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.close()
        let fork = try fixture.copy()
        let mine = try await fixture.unlocked()
        try await mine.add(Item(title: "mine"))
        try await mine.add(Item(title: "mine too"))
        try await mine.close()
        let other = try Vault.open(at: VaultFixture.location(fork), environment: fixture.environment)
        try await other.unlock(with: VaultFixture.passphrase())
        for number in 0..<10 { try await other.add(Item(title: "other \(number)")) }
        try await other.close()
        try fixture.write(fixture.read(VaultFixture.location(fork).database), to: fixture.location.database)
        #expect(await fixture.refusal() == .rolledBack)
    }

    @Test func `a newer file of the same device is taken`() async throws {
        let fixture = try VaultFixture()
        try await fixture.create().close()
        let copy = try fixture.copy()
        let there = try Vault.open(at: VaultFixture.location(copy), environment: fixture.environment)
        try await there.unlock(with: VaultFixture.passphrase())
        try await there.add(Item(title: "there"))
        try await there.close()
        try fixture.write(fixture.read(VaultFixture.location(copy).database), to: fixture.location.database)
        let vault = try await fixture.unlocked()
        #expect(try await vault.summaries().map(\.title) == ["there"])
        try await vault.close()
    }

    @Test func `an old header in a new file is reported: an old passphrase must not come back`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.close()
        let before = try fixture.copy()
        let again = try await fixture.unlocked()
        try await again.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new one"))
        try await again.close()
        try Tampering(fixture.location).copyHeader(from: VaultFixture.location(before))
        #expect(await fixture.refusal() == .rolledBack)
        #expect(await fixture.refusal(trusting: .thisFile) == .rolledBack)
        // Named before a passphrase is stretched, so that the right one changes nothing.
        #expect(await fixture.refusal("new one") == .rolledBack)
    }

    @Test func `another vault's file in place is told by the Secret Key`() async throws {
        let fixture = try VaultFixture()
        let other = try VaultFixture()
        try await fixture.create().close()
        try await other.create().close()
        try fixture.write(other.read(other.location.database), to: fixture.location.database)
        #expect(await fixture.refusal() == .wrongSecretKey)
        try fixture.write(other.read(other.location.secretKey), to: fixture.location.secretKey)
        #expect(await fixture.refusal() == .unknownDevice)
    }

    @Test func `an older index, head or device file changes nothing that is read`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        for number in 0..<60 { try await vault.add(Item(title: "item \(number)")) }
        let first = try #require(await vault.summaries(matching: "item 7").first).id
        try await vault.close()
        let old = try fixture.copy()
        let again = try await fixture.unlocked()
        for number in 60..<130 { try await again.add(Item(title: "item \(number)")) }
        try await again.edit(first) { $0.title = "changed" }
        try await again.close()
        for path in [\VaultLocation.index, \.head, \.device] {
            try fixture.write(
                fixture.read(VaultFixture.location(old)[keyPath: path]),
                to: fixture.location[keyPath: path]
            )
            let read = try await fixture.unlocked()
            #expect(try await read.summaries().count == 130)
            #expect(try await read.item(first).title == "changed")
            #expect(try await read.verifyLog().revisions == 131)
            try await read.close()
        }
    }

    @Test func `without a head or a device file the vault asks for consent`() async throws {
        for path in [\VaultLocation.head, \.device] {
            let fixture = try VaultFixture()
            let vault = try await fixture.create()
            try await vault.add(Item(title: "a"))
            try await vault.close()
            try fixture.remove(fixture.location[keyPath: path])
            #expect(await fixture.refusal() == .unknownDevice)
            #expect(await fixture.refusal(trusting: .thisFile) == nil)
            #expect(await fixture.refusal() == nil)
        }
    }
}
