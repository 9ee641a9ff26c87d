import Foundation
import WardLog
import WardVault

/// Copies of one vault on several devices that exchange entries in memory.
final class ExchangeFixture {
    /// Numbers that can be repeated.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    let fixtures: [VaultFixture]
    private(set) var vaults: [Vault] = []

    /// The first device makes the vault with an item, and each other one opens a copy of the file.
    init(devices count: Int, _ prepare: (Vault) async throws -> Void = { _ in }) async throws {
        fixtures = try (0..<count).map { _ in try VaultFixture() }
        let first = try await fixtures[0].create()
        try await prepare(first)
        try await first.close()
        for fixture in fixtures.dropFirst() {
            let copy = try fixtures[0].copy()
            try FileManager.default.moveItem(atPath: copy.path + "/data", toPath: fixture.folder.path + "/data")
        }
        vaults = [try await fixtures[0].unlocked()]
        for fixture in fixtures.dropFirst() { vaults.append(try await fixture.unlocked(trusting: .thisFile)) }
    }

    subscript(_ number: Int) -> Vault { vaults[number] }

    /// Everything that the devices wrote.
    func everything() async throws -> [LogRecord] {
        var found: [LogRecord] = []
        for vault in vaults { found += try await vault.records(after: 0, limit: .max) }
        return found
    }

    /// Each device takes what each other one wrote.
    func meet() async throws {
        for vault in vaults {
            let own = try await vault.thisDevice()
            let others = try await everything().filter { $0.entry.entry.device != own }
            _ = try await vault.take(others)
        }
    }

    func reopen(_ number: Int, _ words: String = VaultFixture.words) async throws {
        try await vaults[number].close()
        vaults[number] = try await fixtures[number].unlocked(words)
    }

    /// The items of a device by their IDs, as text.
    func items(_ number: Int) async throws -> [ItemID: String] {
        var found: [ItemID: String] = [:]
        for summary in try await vaults[number].summaries() {
            let item = try await vaults[number].item(summary.id)
            found[summary.id] =
                "\(item.title) \(item.tags.sorted()) \(item.password?.value ?? "") \(item.conflicts.count)"
        }
        return found
    }

    func close() async throws { for vault in vaults { try await vault.close() } }
}
