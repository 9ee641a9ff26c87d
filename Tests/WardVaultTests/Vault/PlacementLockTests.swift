import Foundation
import Testing

@testable import WardVault

/// What keeps two programs from creating or restoring a vault at the same place.
@Suite struct `The lock of a place` {
    private func with(_ body: (VaultLocation) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wvl-\(UUID().uuidString.prefix(8))")
        let location = VaultFixture.location(folder)
        try SmallFile.makeDirectory(location.directory)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(location)
    }

    @Test func `is waited for, but not without end`() async throws {
        try await with { location in
            var first: PlacementLock? = try await .exclusive(location)
            await #expect(throws: VaultError(.unavailable, "")) {
                try await PlacementLock.exclusive(location, patience: .milliseconds(50))
            }
            #expect(throws: VaultError(.unavailable, "")) { try PlacementLock.shared(location) }
            async let second = PlacementLock.exclusive(location)
            withExtendedLifetime(first) {}
            first = nil
            _ = try await second
        }
    }

    @Test func `is not waited for by a task that was cancelled`() async throws {
        try await with { location in
            let first = try await PlacementLock.exclusive(location)
            let second = Task { try await PlacementLock.exclusive(location, patience: .seconds(86_400)) }
            second.cancel()
            await #expect(throws: VaultError(.unavailable, "")) { try await second.value }
            withExtendedLifetime(first) {}
        }
    }

    @Test func `is shared by those who open a vault`() async throws {
        try await with { location in
            #expect(try PlacementLock.shared(location) == nil)
            _ = try await PlacementLock.exclusive(location)
            let (one, other) = try (PlacementLock.shared(location), PlacementLock.shared(location))
            #expect(one != nil && other != nil)
            await #expect(throws: VaultError(.unavailable, "")) {
                try await PlacementLock.exclusive(location, patience: .zero)
            }
            withExtendedLifetime((one, other)) {}
        }
    }
}
