import Foundation
import Testing
import WardCBOR
import WardLog

@testable import WardSync
@testable import WardVault

/// A device that was removed reads on, because the removal may not count. What it reads waits until that is shown.
@Suite struct `What waits while a device is out` {
    private static let flood = 30

    /// Takes what other devices wrote, in several parts, and all of it again as often as that is necessary: so does a sync.
    ///
    /// - Returns: How often.
    private func read(_ parts: [[LogRecord]], into intake: Intake) async throws -> Int {
        for round in 1..<10 {
            var isDone = true
            for part in parts {
                var report = SyncReport()
                let outcome = try await intake.take(part, &report)
                #expect(outcome == .taken || outcome == .needsDropped)
                if outcome != .taken { isDone = false }
            }
            if isDone { return round }
            intake.forget()
        }
        return 10
    }

    private func remove(_ devices: Set<DeviceID>, by number: Int, _ world: CircleWorld) async throws {
        try await world[number].removeDevices(
            devices,
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
    }

    private func write(_ count: Int, by number: Int, _ world: CircleWorld) async throws {
        try await world[number].write { for index in 0..<count { try $0.add(Item(title: "\(number): \(index)")) } }
    }

    private func isMember(_ world: CircleWorld) async throws -> Bool { try await world.overview(1).isMember }

    /// The thief removes the member, or another stolen device does. Then it writes more than waits.
    @Test(arguments: [2, 3]) func `is not displaced by who wrote too much`(remover: Int) async throws {
        let world = try await CircleWorld.met(4)
        let intake = Intake(world[1], WaitingLimit(count: Self.flood - 5))
        try await world[0].add(Item(title: "much"))
        let first = try await world[0].records(after: 0)
        try await remove([world.id(1)], by: remover, world)
        try await write(Self.flood, by: 2, world)
        try await remove([world.id(2), world.id(3)], by: 0, world)
        // The member sees the removal, and the flood together with what the first device wrote before.
        let parts = try await [world[remover].records(after: 0), first + world[2].records(after: 0)]
        #expect(try await read(parts, into: intake) == 1)
        #expect(try await !isMember(world))
        #expect(intake.waiting.count < 5)
        let answer = try await world[0].records(after: 0).filter { !first.contains($0) }
        #expect(try await read(parts + [answer], into: intake) < 4)
        #expect(try await isMember(world))
        #expect(try await world.titles(1).contains("much"))
        try await world.close()
    }

    /// Who writes into a folder chooses in which order it is read.
    @Test(arguments: [false, true])
    func `shows that it is back also if that was read before the flood, and is of a device that joined meanwhile`(
        isRecovered: Bool
    ) async throws {
        let world = try await CircleWorld.met(isRecovered ? 4 : 3)
        if isRecovered {
            try await remove([world.id(3)], by: 0, world)
            try await world.meet()
        }
        let intake = Intake(world[1], WaitingLimit(count: Self.flood - 5))
        try await remove([world.id(1)], by: 2, world)
        try await write(Self.flood, by: 2, world)
        let void = try await world[2].records(after: 0)
        let before = try await world[0].records(after: 0)
        if isRecovered {
            try await world[3].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase())
        } else {
            try await world.join(by: 0)
        }
        var first = try await world[0].records(after: 0).filter { !before.contains($0) }
        try await remove([world.id(2)], by: 3, world)
        var answer = try await world[3].records(after: 0)
        if isRecovered { first.append(answer.removeFirst()) }
        let member = try await world.id(1)
        let removal = try #require(void.first { $0.removes(member) })
        let parts = [[removal], answer + void, first]
        #expect(try await read(parts, into: intake) < 5)
        #expect(try await isMember(world))
        try await world.close()
    }

    /// Two devices removed the member and wrote much. What shows that the second removal does not count names what the first one wrote.
    private func readTwoFloods(_ limit: WaitingLimit) async throws -> (world: CircleWorld, intake: Intake) {
        let world = try await CircleWorld.met(4)
        let intake = Intake(world[1], limit)
        let (member, thief, other) = try await (world.id(1), world.id(2), world.id(3))
        for number in [2, 3] {
            try await remove([member], by: number, world)
            try await write(Self.flood, by: number, world)
        }
        let void = try await [world[2].records(after: 0), world[3].records(after: 0)]
        try await remove([thief], by: 0, world)
        _ = try await world[0].take(void[0])
        try await remove([other], by: 0, world)
        #expect(try await read(void, into: intake) == 1)
        #expect(try await !isMember(world))
        #expect(try await read(void + [world[0].records(after: 0)], into: intake) < 4)
        return (world, intake)
    }

    @Test(arguments: [-10, 10]) func `is read again if another device names it`(more: Int) async throws {
        let (world, _) = try await readTwoFloods(WaitingLimit(count: Self.flood + more))
        #expect(try await isMember(world))
        try await world.close()
    }

    /// The device stays out. It does not read the same again and again, and does not keep it in memory.
    @Test func `is left if it is needed and far too much`() async throws {
        let limit = WaitingLimit(count: Self.flood / 15)
        let (world, intake) = try await readTwoFloods(limit)
        #expect(intake.waiting.count <= limit.ofWanted.count)
        #expect(try await !isMember(world))
        try await world.close()
    }

    /// A stolen device signs large entries beside each other, which nobody names.
    @Test func `leaves room to what others write if it is large`() async throws {
        let world = try await CircleWorld.met(3)
        let room = 1 << 20
        let intake = Intake(world[0], WaitingLimit(bytes: room))
        let thief = try await world[2].stolen()
        let large = try (0..<60).map { number in
            var thief = thief
            return try thief.write(.ignorable(200, [1: .bytes([UInt8](repeating: UInt8(number), count: 50_000))]))
        }
        #expect(large.reduce(0) { $0 + $1.size } > 2 * room)
        var report = SyncReport()
        #expect(try await intake.take(large, &report) == .taken)
        #expect(intake.waiting.reduce(0) { $0 + $1.size } <= room / 4)
        try await world[1].add(Item(title: "of another"))
        _ = try await intake.take(world[1].records(after: 0), &report)
        #expect(try await world.titles(0).contains("of another"))
        try await world.close()
    }

    /// Nobody signed them, and they have the names of a member and of devices that there are not.
    @Test func `is not displaced by entries that nobody signed`() async throws {
        let world = try await CircleWorld.met(3)
        let intake = Intake(world[1], WaitingLimit(count: Self.flood, helpers: 4))
        let (member, thief, first) = try await (world.id(1), world.id(2), world.id(0))
        try await world[0].add(Item(title: "much"))
        let before = try await world[0].records(after: 0)
        try await remove([member], by: 2, world)
        try await remove([thief], by: 0, world)
        let last = try #require(before.last)
        let forged = try (0..<Self.flood).map { number in
            var entry = last.entry.entry
            entry.device =
                number.isMultiple(of: 2) ? first : try #require(DeviceID([UInt8](repeating: UInt8(number), count: 16)))
            entry.sequence += UInt64(number) + 1
            entry.previous = last.entry.hash
            if number.isMultiple(of: 3) { entry.operation = .circle(.place([1])) }
            return LogRecord(entry: entry.signed(vault: world[0].id) { _ in [UInt8](repeating: 7, count: 64) })
        }
        let parts = try await [world[2].records(after: 0), before + forged]
        #expect(try await read(parts, into: intake) == 1)
        #expect(intake.waiting.count < 5)
        #expect(try await !isMember(world))
        let answer = try await world[0].records(after: 0).filter { !before.contains($0) }
        // Operations in the name of a member come before its own, and are more than wait in any case.
        let more = forged.filter { $0.changesCircle && $0.entry.entry.device == first }
        #expect(more.count > 4)
        #expect(try await read(parts + [more + answer], into: intake) < 4)
        #expect(try await isMember(world))
        #expect(try await world.titles(1).contains("much"))
        try await world.close()
    }

    /// The folder is read again in the same run.
    @Test func `comes back through a folder`() async throws {
        let world = try await CircleWorld.met(3)
        let remote = FolderRemote(folder: world.folder.path, vault: world[1].id)
        let sync = FolderSync(world[1], with: remote, waiting: WaitingLimit(count: Self.flood - 5))
        try await world[0].add(Item(title: "much"))
        try await world.sync(0)
        try await remove([world.id(1)], by: 2, world)
        try await write(Self.flood, by: 2, world)
        try await remove([world.id(2)], by: 0, world)
        try await world.sync(2)
        _ = try await sync.run()
        #expect(try await !isMember(world))
        try await world.sync(0)
        _ = try await sync.run()
        #expect(try await isMember(world))
        #expect(try await world.titles(1) == world.titles(0))
        try await world.close()
    }

    /// The server is not taken for one that hides entries.
    @Test func `comes back through a server`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let sync = try server.sync(world[1], waiting: WaitingLimit(count: Self.flood - 5))
        for other in try [server.sync(world[2]), sync] { _ = try await other.run() }
        try await remove([world.id(1)], by: 2, world)
        try await write(Self.flood, by: 2, world)
        _ = try await server.sync(world[2]).run()
        // The server has ended the session of the member, who reads the rest in the folder.
        for number in [2, 1] { try await world.sync(number) }
        #expect(try await !isMember(world))
        try await world[0].add(Item(title: "much"))
        try await remove([world.id(2)], by: 0, world)
        _ = try await server.sync(world[0]).run()
        let report = try await sync.run()
        #expect(report.serverTroubles.isEmpty)
        #expect(try await isMember(world))
        #expect(try await world.titles(1).contains("much"))
        try await world.close()
    }
}
