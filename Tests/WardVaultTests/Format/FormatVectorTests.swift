import Foundation
import Testing
import WardLog
import WardVault

@Suite struct `The format` {
    private func check(_ vault: Vault, _ expected: FormatVectors) async throws {
        #expect(hex(vault.id.bytes) == expected.vault)
        var found: [FormatVectors.Entry] = []
        for summary in try await vault.summaries() + vault.summaries(inTrash: true) {
            found.append(try await FormatVectors.Entry(summary.id, of: vault))
        }
        #expect(found.sorted { $0.item < $1.item } == expected.items)
        for name in expected.removed {
            let id = try #require(ItemID(bytes(hex: name)))
            await #expect(throws: VaultError(.itemMissing, "")) { try await vault.item(id) }
        }
        // One more than was written: this device enrolled.
        #expect(try await vault.verifyLog().entries == expected.entries + 1)
    }

    @Test(arguments: FormatVectors.all)
    func `a vault written long ago opens with its passphrase, and every item is what it was`(
        name: String
    ) async throws {
        let expected = try FormatVectors.load(name)
        let fixture = try VaultFixture()
        try FormatVectors.copy(name, to: fixture)
        let vault = try Vault.open(at: fixture.location)
        await #expect(throws: VaultError(.unknownDevice, "")) {
            try await vault.unlock(with: Passphrase(expected.passphrase))
        }
        try await vault.unlock(with: Passphrase(expected.passphrase), trusting: .thisFile)
        try await check(vault, expected)
        #expect(try await vault.secretKey().text == expected.secretKey)
        try await vault.close()
    }

    @Test(arguments: FormatVectors.all)
    func `a vault written long ago stays byte for byte what it was, until somebody changes it`(name: String)
        async throws
    {
        let expected = try FormatVectors.load(name)
        let fixture = try VaultFixture()
        try FormatVectors.copy(name, to: fixture)
        let before = try Tampering(fixture.location).rows()
        let vault = try Vault.open(at: fixture.location)
        try await vault.unlock(with: Passphrase(expected.passphrase), trusting: .thisFile)
        try await vault.close()
        // This device's first entry came behind; everything else is as it was.
        #expect(try Array(Tampering(fixture.location).rows().dropLast()) == before)
        let bytes = try fixture.read(fixture.location.database)
        let again = try Vault.open(at: fixture.location)
        try await again.unlock(with: Passphrase(expected.passphrase))
        for summary in try await again.summaries() { _ = try await again.history(of: summary.id) }
        try await again.emptyExpiredTrash()
        _ = try await again.verifyLog()
        try await again.close()
        #expect(try fixture.read(fixture.location.database) == bytes)
    }

    @Test(arguments: FormatVectors.all)
    func `a vault written long ago opens with its recovery key`(name: String) async throws {
        let expected = try FormatVectors.load(name)
        let fixture = try VaultFixture()
        try FormatVectors.copy(name, to: fixture)
        let vault = try Vault.open(at: fixture.location)
        let key = try RecoveryKey(text: expected.recoveryKey)
        #expect(try await vault.isRecoveryKey(key))
        let outline = try await vault.outline(with: key)
        #expect(outline.isProven == (name == "proven"))
        #expect(outline.items == expected.items.count)
        let salvage = try await vault.salvage(with: key, acceptingUnproven: name == "small")
        #expect(try salvage.items.map { hex(try $0.encoded()) } == expected.items.map(\.encoding))
        try await vault.close()
    }

    @Test func `items of a vault written long ago are written back byte for byte`() throws {
        for entry in try FormatVectors.load("small").items {
            #expect(hex(try Item(encoded: bytes(hex: entry.encoding)).encoded()) == entry.encoding)
        }
    }

    @Test func `the same effects make the same vault`() async throws {
        let expected = try FormatVectors.load("proven")
        #expect(try FormatVectors.load("small") == expected)
        let made = try await FormatVectors.make(in: VaultFixture())
        #expect(made == expected)
    }

    /// Writes the vectors anew; what is committed was written once and stays. Set `WARD_WRITE_VECTORS`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["WARD_WRITE_VECTORS"] != nil, "set WARD_WRITE_VECTORS"))
    func `vectors are written`() async throws {
        let fixture = try VaultFixture()
        let made = try await FormatVectors.make(in: fixture)
        let folder = FormatVectors.folder.appendingPathComponent("proven", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try fixture.write(fixture.read(fixture.location.database), to: folder.path + "/vault.db")
        try fixture.write(fixture.read(fixture.location.secretKey), to: folder.path + "/secret-key")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(made) + Data("\n".utf8)).write(to: folder.appendingPathComponent("expected.json"))
    }
}
