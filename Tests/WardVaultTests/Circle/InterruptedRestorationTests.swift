import Foundation
import Synchronization
import Testing

@testable import WardVault

/// A device of a circle that loses its power while a backup is put in place.
@Suite struct `A restoration that is interrupted` {
    /// What this device wrote since the backup can be on other devices, and it must not write other entries with the same numbers.
    @Test func `never leaves a vault that writes before it has everything again`() async throws {
        var steps = 0
        var isInterrupted = true
        while isInterrupted {
            let disk = EndingDisk()
            let world = try await CircleWorld(devices: 1)
            try await world.join(by: 0, beforeWrite: disk.step)
            let fixture = world.fixtures[1]
            let path = fixture.folder.path + "/backup.db"
            _ = try await world[1].backUp(BackupRequest(path: path))
            try await world[1].add(Item(title: "after the backup"))
            try await world.sync(1)
            try await world[1].close()
            let restoration = try VaultRestoration(
                from: path,
                at: fixture.location,
                secretKey: nil,
                needsSecretKey: true,
                environment: fixture.environment
            )
            try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
            disk.end(after: steps)
            do {
                try await restoration.place(replacing: true).vault.close()
                isInterrupted = false
            } catch {}
            disk.end(after: nil)
            do {
                try await world.reopen(1)
            } catch let error as VaultError where error.code == .rolledBack {
                try await world.reopen(1, trusting: .thisFile)
            }
            if try await world.titles(1) == ["before"] {
                await #expect(throws: VaultError(.vaultIncomplete, ""), "after \(steps) steps") {
                    try await world[1].add(Item(title: "no"))
                }
            }
            try await world.meet()
            try await world[1].add(Item(title: "yes"))
            try await world.meet()
            for number in 0..<2 {
                #expect(
                    try await world.titles(number) == ["after the backup", "before", "yes"],
                    "after \(steps) steps"
                )
            }
            #expect(try await world.overview(0).devices.allSatisfy { !$0.hasBrokenRules }, "after \(steps) steps")
            try await world.close()
            steps += 1
        }
        #expect(steps > 8)
    }
}

/// A disk that takes no more writes after some.
private final class EndingDisk: Sendable {
    private let left = Mutex<Int?>(nil)

    func end(after steps: Int?) { left.withLock { $0 = steps } }

    @Sendable func step(_ step: WriteStep) throws {
        try left.withLock { left in
            guard let count = left else { return }
            guard count > 0 else { throw VaultError(.diskFull, "the power is off") }
            left = count - 1
        }
    }
}
