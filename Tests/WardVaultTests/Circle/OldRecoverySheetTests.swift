import Testing
import WardLog

@testable import WardVault

/// Somebody finds a recovery key on paper that was replaced, and has the folder. Keys and files are real.
@Suite struct `The finder of an old recovery sheet` {
    @Test func `reads what was written before the key was replaced, and nothing after`() async throws {
        let world = try await CircleWorld.met(2)
        let old = world.recoveryKey
        try await world[0].add(Item(title: "early"))
        try await world.meet()
        _ = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        try await world[1].add(Item(title: "late"))
        try await world.meet()
        let vault = try await world.stolenVault(0)
        var keys: VaultKeys?
        for record in try world.records() {
            guard case .circle(let operation) = record.entry.entry.operation, let made = operation.keys,
                let secrets = try? CircleSecrets.open(
                    made.sealed,
                    for: try old.signingSeed().publicKey,
                    with: old.keyPair(),
                    vault: vault.vault,
                    epoch: made.epoch
                ), let header = try? VaultHeader(encoded: record.blob ?? [])
            else { continue }
            #expect(keys == nil, "one operation was sealed to it")
            keys = try header.circle?.open(with: secrets.vaultKey, epoch: header.epoch, vault: vault.vault)
        }
        let found = try #require(keys)
        let titles = try world.records().compactMap { record -> String? in
            guard case .revision(let revision) = record.entry.entry.operation, let blob = record.blob,
                let bytes = try? ItemSealing.open(
                    blob,
                    for: revision,
                    device: record.entry.entry.device,
                    sequence: record.sequence,
                    vault: vault.vault,
                    keys: found
                )
            else { return nil }
            return try? Item(encoded: bytes).title
        }
        #expect(Set(titles) == ["before", "early"])
        // The header in force has nothing for it, and a vault file neither.
        let header = try await world[0].currentHeader()
        #expect(try header.circleRecovery(old) == nil)
        await world[0].lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await world[0].recover(with: old, newPassphrase: VaultFixture.passphrase("of the finder"))
        }
        try await world.close()
    }

    @Test func `brings no device in, neither beside the new key nor after it`() async throws {
        let world = try await CircleWorld.met(2)
        let old = world.recoveryKey
        let early = try await world.stolenVault(0)
        _ = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        try await world.meet()
        let before = try await world.view(0)
        var beside = try early.stranger()
        let first = try beside.signed(
            try beside.draft(.circle(.joinRecovered(beside.device.circleDevice())), recovery: old)
        )
        try beside.graph.take(first.entry)
        // By what it knows the key is in force, so it is taken, and then it does not count.
        #expect(beside.graph.stands(first.entry.hash))
        let edit = try beside.edit(Item(title: "of the finder"))
        for number in 0..<2 {
            #expect(try await world[number].take([first, edit]).taken == 2)
            #expect(try await world.view(number) == before)
        }
        let after = try await world.stolenVault(0).stranger()
        let late = try after.signed(
            try after.draft(.circle(.joinRecovered(after.device.circleDevice())), recovery: old)
        )
        for number in 0..<2 {
            let report = try await world[number].take([late])
            #expect(report.taken == 0 && report.refused == [late.entry.hash])
            #expect(try await world.view(number) == before)
        }
        try await world.close()
    }

    /// Until then nobody can know better.
    @Test func `is let in by a device that has not heard of the new key, until it hears of it`() async throws {
        let world = try await CircleWorld.met(2)
        let old = world.recoveryKey
        var finder = try await world.stolenVault(0).stranger()
        _ = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        let first = try finder.signed(
            try finder.draft(.circle(.joinRecovered(finder.device.circleDevice())), recovery: old)
        )
        try finder.graph.take(first.entry)
        let edit = try finder.edit(Item(title: "of the finder"))
        #expect(try await world[0].take([first, edit]).taken == 2)
        #expect(try await world.titles(0) == ["before", "of the finder"])
        #expect(try await world.overview(0).devices.contains { $0.id == finder.id && $0.status == .member })
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before"])
        #expect(try await world.members(0) == ["device 0", "device 1"])
        try await world.close()
    }
}

extension CircleWorld {
    /// What somebody has who opened a device's vault.
    fileprivate func stolenVault(_ number: Int) async throws -> Thief { try await vaults[number].stolen() }
}
