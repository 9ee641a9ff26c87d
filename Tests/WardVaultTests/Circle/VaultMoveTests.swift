import Testing
import WardLog

@testable import WardVault

@Suite struct `A vault that moved` {
    private static let (old, new) = ("https://old.example.org", "https://new.example.org:8443/sync")

    @Test func `says so to all devices, and to nobody else`() async throws {
        let world = try await CircleWorld.met(2)
        #expect(try await world.overview(0).moves.isEmpty)
        try await world[0].move(to: Self.new, from: Self.old, VaultFixture.passphrase())
        try await world.meet()
        for number in 0...1 {
            let moves = try await world.overview(number).moves
            #expect(moves.map(\.address) == [Self.new] && moves.map(\.earlier) == [Self.old])
            #expect(try await moves.map(\.device) == [world.id(0)])
        }
        // The address is sealed: the holder of the folder learns nothing.
        let stored = try world.records().flatMap { $0.entry.encoded + ($0.blob ?? []) }
        #expect(stored.firstRange(of: Array("example.org".utf8)) == nil)
        #expect(stored.firstRange(of: Array("before".utf8)) == nil)
        try await world.reopen(1)
        #expect(try await world.overview(1).moves.count == 1, "also after a restart")
        _ = try await world[1].verifyLog()
        try await world.close()
    }

    @Test func `can move again, and stays readable with later keys`() async throws {
        let world = try await CircleWorld.met(2)
        try await world[0].move(to: Self.old, from: nil, VaultFixture.passphrase())
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        #expect(try await world.overview(1).moves.map(\.address) == [Self.old])
        #expect(try await world.overview(1).moves.first?.earlier == nil)
        try await world[1].move(to: Self.new, from: Self.old, VaultFixture.passphrase())
        try await world.meet()
        #expect(try await world.overview(0).moves.map(\.address) == [Self.new])
        try await world.close()
    }

    @Test func `moves with the passphrase alone, and to an address that fits`() async throws {
        let world = try await CircleWorld.met(1)
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await world[0].move(to: Self.new, from: nil, VaultFixture.passphrase("another one"))
        }
        let long = "https://" + String(repeating: "a", count: VaultMove.maximumLength)
        await #expect(throws: VaultError(.unavailable, "")) {
            try await world[0].move(to: long, from: nil, VaultFixture.passphrase())
        }
        #expect(try await world.overview(0).moves.isEmpty)
        let longest = String(long.prefix(VaultMove.maximumLength))
        try await world[0].move(to: longest, from: longest, VaultFixture.passphrase())
        #expect(try await world.overview(0).moves.map(\.address) == [longest])
        try await world.close()
    }

    /// The thief has the open device, and everything but the owner's signature.
    @Test func `does not move for a stolen device, nor for one that was removed`() async throws {
        let world = try await CircleWorld.met(3)
        var thief = try await world[2].stolen()
        let sealed = try VaultMove.seal(
            "https://evil.example",
            from: Self.old,
            thief.vault,
            thief.keys,
            thief.environment
        )
        let record = try thief.write(.circle(.place(sealed)))
        for number in 0..<2 {
            #expect(try await world[number].take([record]).taken == 1)
            #expect(try await world.overview(number).moves.isEmpty)
        }
        let other = try await CircleWorld.met(3)
        var removed = try await other[2].stolen(knowing: VaultFixture.words)
        try await other[0].removeDevices(
            [try await other.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        for number in [0, 1] { try await other.sync(number) }
        let before = try VaultMove.seal(
            "https://evil.example",
            from: Self.old,
            removed.vault,
            removed.keys,
            removed.environment
        )
        let late = try removed.write(.circle(.place(before)))
        for number in 0..<2 {
            _ = try await other[number].take([late])
            #expect(try await other.overview(number).moves.isEmpty)
        }
        try await world.close()
        try await other.close()
    }
}
