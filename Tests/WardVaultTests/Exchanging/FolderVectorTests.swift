import Foundation
import Testing
import WardSync
import WardText
import WardVault

/// A folder under `Tests/TestVectors/sync`: what two devices wrote that opened the vault `Tests/TestVectors/vault/proven`.
private struct FolderVectors: Codable, Equatable {
    /// The titles of the items by their IDs in hexadecimal digits.
    var titles: [String: String]
    /// How many entries the log has with those of the folder.
    var entries: Int

    static let folder = FormatVectors.folder.deletingLastPathComponent().appendingPathComponent(
        "sync",
        isDirectory: true
    )
    static let isWriting = ProcessInfo.processInfo.environment["WARD_WRITE_VECTORS"] != nil
}

@Suite struct `A folder written long ago` {
    /// Opens the vault as another device.
    private func open(_ fixture: VaultFixture, _ expected: FormatVectors) async throws -> Vault {
        try FormatVectors.copy("proven", to: fixture)
        let vault = try Vault.open(at: fixture.location)
        try await vault.unlock(with: Passphrase(expected.passphrase), trusting: .thisFile)
        return vault
    }

    private func titles(_ vault: Vault) async throws -> [String: String] {
        var found: [String: String] = [:]
        for summary in try await vault.summaries() { found[Hex.encode(summary.id.bytes)] = summary.title }
        return found
    }

    private func read(_ vault: Vault) async throws {
        let report = try await FolderSync(vault, with: FolderRemote(folder: FolderVectors.folder.path, vault: vault.id))
            .run()
        #expect(report.troubles.isEmpty && report.folderTroubles.isEmpty && report.missing.isEmpty)
    }

    @Test func `gives every device what it gave then`() async throws {
        let data = try Data(contentsOf: FolderVectors.folder.appendingPathComponent("expected.json"))
        let expected = try JSONDecoder().decode(FolderVectors.self, from: data)
        let fixture = try VaultFixture()
        let vault = try await open(fixture, try FormatVectors.load("proven"))
        // A copy, because a sync writes the entries of this device.
        let folder = fixture.folder.appendingPathComponent("folder")
        try FileManager.default.copyItem(at: FolderVectors.folder, to: folder)
        let report = try await FolderSync(vault, with: FolderRemote(folder: folder.path, vault: vault.id)).run()
        #expect(report.troubles.isEmpty && report.folderTroubles.isEmpty && report.missing.isEmpty)
        #expect(try await titles(vault) == expected.titles)
        // One more than was written: this device enrolled.
        #expect(try await vault.verifyLog().entries == expected.entries + 1)
        try await vault.close()
    }

    @Test(.enabled(if: FolderVectors.isWriting, "set WARD_WRITE_VECTORS"))
    func `is written`() async throws {
        let old = try FormatVectors.load("proven")
        try? FileManager.default.removeItem(at: FolderVectors.folder.appendingPathComponent("ward"))
        let fixtures = [try VaultFixture(), try VaultFixture()]
        let vaults = [try await open(fixtures[0], old), try await open(fixtures[1], old)]
        let shared = try #require(try await vaults[0].summaries().first).id
        for (number, vault) in vaults.enumerated() {
            try await vault.edit(shared) { $0.tags.append("of device \(number)") }
            var item = Item(title: "made on device \(number)")
            item.attachments = [Attachment(name: "file", content: Array("content \(number)".utf8))]
            try await vault.add(item)
            try await read(vault)
        }
        for vault in vaults + vaults { try await read(vault) }
        try await vaults[0].edit(shared) { $0.title = "changed after both met" }
        for vault in vaults { try await read(vault) }
        let written = FolderVectors(
            titles: try await titles(vaults[1]),
            entries: try await vaults[1].verifyLog().entries
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(written).write(to: FolderVectors.folder.appendingPathComponent("expected.json"))
        for vault in vaults { try await vault.close() }
    }
}
