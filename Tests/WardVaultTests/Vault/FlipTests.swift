import Foundation
import Testing
import WardVault

/// Every byte of every file of a vault, changed: a named error or an unchanged read, never a trap, never wrong data.
@Suite struct `Every byte flipped` {
    /// The items of the vault, by ID.
    private typealias Contents = [ItemID: Item]

    private func prepare(_ fixture: VaultFixture) async throws -> Contents {
        let vault = try await fixture.create()
        let first = try await vault.add(try Sample.full())
        try await vault.add(Item(.note, title: "note", notes: "text"))
        try await vault.edit(first) { $0.title = "changed" }
        await vault.saveIndexNow()
        // One change that the index does not know yet.
        try await vault.edit(first) { $0.username = "alice2" }
        let contents = try await read(vault)
        try await vault.close()
        return contents
    }

    private func read(_ vault: Vault) async throws -> Contents {
        var contents: Contents = [:]
        for summary in try await vault.summaries() { contents[summary.id] = try await vault.item(summary.id) }
        return contents
    }

    /// Opens what lies there and compares what can be read.
    private func check(_ fixture: VaultFixture, _ expected: Contents, _ label: String) async {
        do {
            let vault = try await fixture.unlocked()
            let unreadable = try await vault.status().unreadable
            for summary in try await vault.summaries() {
                if let item = try? await vault.item(summary.id) { #expect(item == expected[summary.id], "\(label)") }
            }
            let found = Set(try await vault.summaries().map(\.id)).union(unreadable)
            #expect(found == Set(expected.keys), "\(label)")
            try await vault.close()
        } catch {
            #expect(error is VaultError, "\(label)")
        }
    }

    /// Every byte of a file, a different bit of each; every fifteenth byte of a file that is long; with `WARD_THOROUGH` every bit of all.
    private func flip(_ path: KeyPath<VaultLocation, String>) async throws {
        let fixture = try VaultFixture()
        let expected = try await prepare(fixture)
        let location = fixture.location
        let names: [KeyPath<VaultLocation, String>] = [
            \.database, \.secretKey, \.device, \.head, \.headerCopy, \.index,
        ]
        let originals = try names.map { (location[keyPath: $0], try fixture.read(location[keyPath: $0])) }
        let bytes = try fixture.read(location[keyPath: path])
        let isThorough = ProcessInfo.processInfo.environment["WARD_THOROUGH"] != nil
        for index in stride(from: 0, to: bytes.count, by: isThorough || bytes.count < 8_192 ? 1 : 15) {
            for bit in isThorough ? Array(0..<8) : [index % 8] {
                for (path, original) in originals { try fixture.write(original, to: path) }
                for suffix in ["-wal", "-journal", "-shm"] { try? fixture.remove(location.database + suffix) }
                var changed = bytes
                changed[index] ^= 1 << bit
                try fixture.write(changed, to: location[keyPath: path])
                await check(fixture, expected, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `of the vault's file`() async throws { try await flip(\.database) }
    @Test func `of the Secret Key's file`() async throws { try await flip(\.secretKey) }
    @Test func `of this device's key`() async throws { try await flip(\.device) }
    @Test func `of this device's memory of the head`() async throws { try await flip(\.head) }
    @Test func `of the index`() async throws { try await flip(\.index) }
    @Test func `of this device's copy of the header`() async throws { try await flip(\.headerCopy) }

    /// The one part that no history and no backup within the file makes good.
    @Test func `of the header, and the vault opens all the same and is whole again`() async throws {
        let fixture = try VaultFixture()
        let expected = try await prepare(fixture)
        let original = try fixture.read(fixture.location.database)
        let header = try Tampering(fixture.location).header()
        let start = try #require(original.firstRange(of: header)?.lowerBound)
        // From the row's own length and number on, which lie before the body.
        for index in start - 6..<start + header.count {
            var changed = original
            changed[index] ^= 1 << (index % 8)
            try fixture.write(changed, to: fixture.location.database)
            let vault = try await fixture.unlocked()
            var found: Contents = [:]
            for summary in try await vault.summaries() { found[summary.id] = try await vault.item(summary.id) }
            #expect(found == expected, "byte \(index - start)")
            try await vault.close()
            guard index >= start else { continue }
            #expect(try Tampering(fixture.location).header() == header, "byte \(index - start)")
        }
    }

    @Test func `a file cut at any place`() async throws {
        let fixture = try VaultFixture()
        let expected = try await prepare(fixture)
        let bytes = try fixture.read(fixture.location.database)
        let head = try fixture.read(fixture.location.head)
        for length in Array(stride(from: 0, to: bytes.count, by: 251)) + [bytes.count - 1] {
            try? fixture.remove(fixture.location.database + "-wal")
            try fixture.write(Array(bytes.prefix(length)), to: fixture.location.database)
            try fixture.write(head, to: fixture.location.head)
            await check(fixture, expected, "cut at \(length)")
            #expect(await fixture.refusal() != nil, "cut at \(length)")
        }
    }

    @Test func `files that are something else altogether`() async throws {
        let fixture = try VaultFixture()
        _ = try await prepare(fixture)
        for content in [[], Array("%PDF-1.7".utf8), [UInt8](repeating: 0, count: 4096)] as [[UInt8]] {
            try fixture.write(content, to: fixture.location.database)
            #expect(await fixture.refusal() == .damaged)
        }
        try fixture.remove(fixture.location.database)
        try FileManager.default.createDirectory(atPath: fixture.location.database, withIntermediateDirectories: false)
        #expect(await fixture.refusal() == .unavailable)
    }
}
