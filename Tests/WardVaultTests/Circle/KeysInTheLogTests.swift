import Foundation
import Testing

@testable import WardVault

/// Devices made vault keys at the same time, and one of them did not get a key.
@Suite struct `Keys that are only in the log` {
    /// The new device cannot read what comes with a key that was made beside its admission.
    private func withNewDevice() async throws -> CircleWorld {
        let world = try await CircleWorld(devices: 3)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world[0].add(Item(title: "beside"))
        try await world.join(by: 1)
        return world
    }

    @Test func `are found in a header that is not in force`() async throws {
        let world = try await withNewDevice()
        // Three keys of a device that does not know the first one: the newest of them is in force in the end.
        try await world.sync(2)
        for _ in 0..<3 { try await world[2].rekeyCircle(VaultFixture.passphrase()) }
        try await world.sync(0)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        #expect(try await world.titles(3) == ["before", "beside"])
        #expect(try await world[3].damagedItems().isEmpty)
        _ = try await world[3].verifyLog()
        try await world.reopen(3)
        #expect(try await world.titles(3) == ["before", "beside"])
        try await world.close()
    }

    @Test func `come with the recovery key, also while the vault is open`() async throws {
        let world = try await withNewDevice()
        try await world.sync(0)
        try await world.sync(3)
        #expect(try await world.titles(3) == ["before"])
        #expect(try await world[3].damagedItems().count == 1)
        try await world[3].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase())
        #expect(try await world.titles(3) == ["before", "beside"])
        try await world[3].add(Item(title: "after"))
        try await world.meet()
        for number in 0...3 { #expect(try await world.titles(number) == ["after", "before", "beside"]) }
        try await world.close()
    }
}
