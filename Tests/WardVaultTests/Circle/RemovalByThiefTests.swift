import Foundation
import Testing
import WardLog
import WardSync

@testable import WardVault

/// A stolen device removes a member, while another member removes the stolen device.
@Suite struct `A removal by a device that is removed beside it` {
    /// The third device removes the second one, and the first one the third.
    private func world() async throws -> CircleWorld {
        let world = try await CircleWorld.met(3)
        let (member, thief) = try await (world.id(1), world.id(2))
        try await world[0].add(Item(title: "one"))
        try await world[0].removeDevices([thief], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[2].removeDevices([member], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        // The member hears of its own removal first.
        for number in [2, 1] { try await world.sync(number) }
        #expect(try await !world.overview(1).isMember)
        return world
    }

    /// Whether the member is one again, and nothing is missing.
    private func check(_ world: CircleWorld) async throws {
        for number in 0..<2 {
            #expect(try await world.members(number) == ["device 0", "device 1"], "\(number)")
            #expect(try await world.overview(number).isMember, "\(number)")
        }
        #expect(try await world.overview(1).droppedRemovals == 1)
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        try await world[1].add(Item(title: "of the member"))
        for number in [1, 0] { try await world.sync(number) }
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "of the member", "one"], "\(number)")
        }
        for number in 0..<2 {
            #expect(try await world.overview(number).droppedRemovals == 0, "\(number)")
            try await world.reopen(number)
        }
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "of the member", "one"], "\(number)")
        }
        try await world.close()
    }

    @Test func `does not keep a member out that hears of that later`() async throws {
        let world = try await world()
        let report = try await world.sync(1)
        #expect(report.taken == 0 && report.written == 0)
        for number in [0, 1] { try await world.sync(number) }
        try await check(world)
    }

    @Test func `does not keep it out if it hears of that in parts, or only after a restart`() async throws {
        for restarts in [false, true] {
            let world = try await world()
            let first = try await world.id(0)
            let remote = FolderRemote(folder: world.folder.path, vault: world[0].id)
            let known = Set(try world.records().filter { $0.entry.entry.device == first }.map(\.sequence)).max() ?? 0
            let records = try await world[0].records(after: known)
            #expect(records.count == 2)
            for record in records {
                #expect(try await !world.overview(1).isMember)
                _ = try remote.write([record], of: first)
                if restarts { try await world.reopen(1) }
                try await world.sync(1)
            }
            #expect(try await world.overview(1).isMember)
            try await world.sync(0)
            try await check(world)
        }
    }

    /// What is written after a removal is not for the removed device, however much of it is offered.
    @Test func `stays one if nothing shows that it does not count`() async throws {
        let world = try await CircleWorld.met(3)
        let lost = try await world.id(2)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].add(Item(title: "later"))
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        for number in [1, 0, 2, 1, 2] { try await world.sync(number) }
        #expect(try await world.titles(2) == ["before"])
        let before = try await world[2].position()
        for _ in 0..<2 {
            try await world.reopen(2)
            let report = try await world.sync(2)
            #expect(report.troubles == [.removedHere] && report.taken == 0)
            #expect(try await world.sync(2).troubles == [.removedHere])
        }
        #expect(try await world[2].position() == before)
        try await world.close()
    }
}
