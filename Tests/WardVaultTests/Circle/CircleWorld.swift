import Foundation
import WardLog
import WardSync

@testable import WardVault

/// Devices of one person with a circle, which sync through one folder.
final class CircleWorld {
    let folder: URL
    private(set) var fixtures: [VaultFixture] = []
    private(set) var vaults: [Vault] = []
    private(set) var syncs: [FolderSync] = []
    let recoveryKey: RecoveryKey

    /// The first device makes the vault and begins the circle, and each other one pairs with it.
    ///
    /// - Parameters:
    ///   - count: The number of devices.
    ///   - items: How many items the vault has before there is a circle.
    ///   - now: The time.
    init(devices count: Int, items: Int = 1, now: Int64 = 1_700_000_000) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ward-circle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let fixture = try VaultFixture(now: now)
        let (vault, key) = try await fixture.createWithKey()
        recoveryKey = key
        try await vault.write { draft in
            for number in 0..<items { try draft.add(Item(title: number == 0 ? "before" : "before \(number)")) }
        }
        let new = try await vault.beginCircle(VaultFixture.passphrase(), recoveryKey: key, deviceName: "device 0")
        precondition(new == nil)
        add(fixture, vault)
        try await sync(0)
        for _ in 1..<max(1, count) { try await join(by: 0) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    subscript(_ number: Int) -> Vault { vaults[number] }

    func id(_ number: Int) async throws -> DeviceID { try await vaults[number].thisDevice() }

    private func add(_ fixture: VaultFixture, _ vault: Vault) {
        fixtures.append(fixture)
        vaults.append(vault)
        syncs.append(FolderSync(vault, with: FolderRemote(folder: folder.path, vault: vault.id)))
    }

    /// A new device pairs with a member.
    func join(
        by member: Int,
        _ words: String = VaultFixture.words,
        at place: VaultFixture? = nil,
        beforeWrite: @escaping @Sendable (WriteStep) throws -> Void = { _ in }
    ) async throws {
        let fixture = try place ?? VaultFixture(beforeWrite: beforeWrite)
        let pending = try PendingDevice(
            name: "device \(vaults.count)",
            system: "test",
            fixture.environment
        )
        let bytes = try await vaults[member].admit(pending.request, VaultFixture.passphrase(words))
        try await sync(member)
        let reply = try PairingReply(bytes, for: pending)
        let vault = try await Vault.join(
            pending,
            reply,
            VaultFixture.passphrase(words),
            records: try records(first: reply.devices),
            at: fixture.location,
            environment: fixture.environment
        )
        add(fixture, vault)
        try await sync(vaults.count - 1)
    }

    /// Everything in the folder.
    func records(first devices: [DeviceID] = []) throws -> [LogRecord] {
        try FolderRemote(folder: folder.path, vault: vaults[0].id).allRecords(first: devices).records
    }

    @discardableResult
    func sync(_ number: Int) async throws -> SyncReport { try await syncs[number].run() }

    /// All devices sync until nothing is new.
    func meet() async throws {
        for _ in 0..<3 { for number in vaults.indices { try await sync(number) } }
    }

    func titles(_ number: Int) async throws -> [String] {
        try await vaults[number].summaries().map(\.title).sorted()
    }

    func overview(_ number: Int) async throws -> CircleOverview {
        guard let circle = try await vaults[number].circle() else { throw VaultError.withoutCircle }
        return circle
    }

    /// The members by their names, as a device knows them.
    func members(_ number: Int) async throws -> [String] {
        try await overview(number).devices.filter { $0.status == .member }.map { $0.name ?? "?" }.sorted()
    }

    func reopen(
        _ number: Int,
        _ words: String = VaultFixture.words,
        trusting trust: Vault.Trust = .known
    ) async throws {
        try await vaults[number].close()
        vaults[number] = try await fixtures[number].unlocked(words, trusting: trust)
        syncs[number] = FolderSync(
            vaults[number],
            with: FolderRemote(folder: folder.path, vault: vaults[number].id)
        )
    }

    func close() async throws { for vault in vaults { try await vault.close() } }
}
