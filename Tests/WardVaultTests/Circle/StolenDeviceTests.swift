import Foundation
import Testing
import WardCBOR
import WardLog
import WardTesting

@testable import WardVault

/// A thief has a device while its vault is open, and no passphrase. Keys and files are real.
@Suite struct `A stolen device that is open` {
    /// Everything that needs the owner, without the owner's signature.
    private func operations(_ thief: Thief, _ world: CircleWorld) async throws -> [(LogOperation, [UInt8]?)] {
        let stranger = try thief.stranger()
        let member = try stranger.device.circleDevice()
        let others = try await [world.id(0), world.id(1)].sorted()
        var weak = try await world[0].currentHeader()
        weak.generation += 1
        weak.derivation.passes = 1
        let encoded = try weak.encoded(thief.keys)
        let owner = try OwnerKey(thief.environment)
        let keys = CircleKeysRecord(
            epoch: thief.keys.epoch + 1,
            owner: owner.publicKey,
            header: weak.generation,
            headerHash: VaultHeader.hash(encoded),
            sealed: []
        )
        let paper = try RecoveryKey(effects: thief.environment.effects).logged(version: 2)
        return [
            (.header(generation: weak.generation, hash: VaultHeader.hash(encoded)), encoded),
            (.circle(.admit(member, name: [])), nil),
            (.circle(.remove(others, keys)), encoded),
            (.circle(.rekey(keys)), encoded),
            (.circle(.recovery([paper], keys)), encoded),
            (.circle(.rules(minimumReader: 99)), nil), (.circle(.place([1])), nil),
            (.circle(.begin(members: [member], recovery: [], keys)), encoded),
        ]
    }

    @Test func `admits and removes nobody, and changes no key, header, recovery key or rule`() async throws {
        let world = try await CircleWorld.met(3)
        let before = try await world.view(0)
        var thief = try await world[2].stolen()
        // A new owner key of the thief's signs, as it must; the one in force is missing.
        thief.owners = [try OwnerKey(thief.environment)]
        for (operation, blob) in try await operations(thief, world) {
            let record = try thief.write(operation, blob: blob)
            for number in 0..<2 {
                #expect(try await world[number].take([record]).taken == 1)
                #expect(try await world.view(number) == before)
                #expect(try await !world[number].stolen().graph.stands(record.entry.hash))
            }
        }
        for number in 0..<2 { try await world.reopen(number) }
        let id = thief.id
        try await world[0].removeDevices([id], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.members(1) == ["device 0", "device 1"])
        try await world.close()
    }

    /// The header with weak settings would be easy to guess at; the log does not name it.
    @Test func `cannot put a header into the file that the log does not name`() async throws {
        let world = try await CircleWorld.met(2)
        let thief = try await world[1].stolen()
        var weak = try await world[0].currentHeader()
        weak.derivation.passes = 1
        let encoded = try weak.encoded(thief.keys)
        #expect(throws: VaultError(.weakKeyDerivation, "")) { try weak.derivation.check() }
        try await world[0].close()
        try Tampering(world.fixtures[0].location).setHeader(encoded)
        #expect(await world.fixtures[0].refusal() != nil)
        try await world[1].close()
    }

    @Test func `stops no other device, with an operation that nobody knows or an entry of a later version`()
        async throws
    {
        let world = try await CircleWorld.met(3)
        var thief = try await world[2].stolen()
        let odd = try thief.write(.unknown(99, ["what": "ever"]))
        var later = try thief.draft(.ignorable(130, [:]))
        later.version = 2
        let newer = try thief.signed(later)
        for number in 0..<2 {
            let report = try await world[number].take([odd, newer])
            #expect(report.taken == 2 && report.troubles.isEmpty)
            try await world[number].add(Item(title: "of \(number)"))
        }
        for number in [0, 1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "of 0", "of 1"])
        let overview = try await world.overview(1)
        #expect(overview.devices.filter(\.hasBrokenRules).map(\.id) == [thief.id] && overview.isMember)
        let id = thief.id
        try await world[1].removeDevices([id], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.members(0) == ["device 0", "device 1"])
        try await world.close()
    }

    @Test func `with a clock in the far future stops nobody from writing, and its own removal neither`() async throws {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen()
        var bomb = try thief.draft(.ignorable(130, [:]))
        bomb.time = HybridTime(value: HybridTime.limit - 1)
        let record = try thief.signed(bomb)
        try thief.graph.take(record.entry)
        #expect(try await world[0].take([record]).taken == 1)
        try await world[0].add(Item(title: "goes on"))
        let id = thief.id
        try await world[0].removeDevices([id], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        #expect(try await world.members(0) == ["device 0"])
        let times = try await world[0].records(after: 0).map(\.entry.entry.time.seconds)
        #expect(times.allSatisfy { $0 < 1_700_100_000 })
        _ = try await world[0].verifyLog()
        try await world.close()
    }

    /// A revision is kept for ninety days after it was superseded, and a removed item for thirty.
    @Test func `destroys nothing with a hundred revisions of an item and the removal of another`() async throws {
        let world = try await CircleWorld.met(3)
        let id = try await world[0].add(Item(title: "mine"))
        let gone = try await world[0].add(Item(title: "mine too"))
        try await world.meet()
        var thief = try await world[2].stolen()
        var records: [LogRecord] = []
        for number in 0..<101 {
            records.append(try thief.edit(Item(title: "flood \(number)", id: id)))
        }
        let heads = thief.graph.heads(of: gone.logged).map(\.hash)
        records.append(try thief.write(.purge(item: gone.logged, parents: heads)))
        #expect(try await world[0].take(records).taken == 102)
        #expect(try await world.titles(0) == ["before", "flood 100"])
        let lost = thief.id
        try await world[1].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "mine", "mine too"])
        // A member does the same to other items, and that counts.
        let often = try await world[0].add(Item(title: "0"))
        let removed = try await world[0].add(Item(title: "removed"))
        for number in 1...120 { try await world[0].edit(often) { $0.title = "\(number)" } }
        try await world[0].write { try $0.purge(removed) }
        // The person writes on for more than ninety days.
        for day in 0..<100 {
            world.fixtures[0].world.advance(by: 86_400)
            try await world[0].edit(gone) { $0.title = "mine too, day \(day)" }
        }
        try await world[0].emptyExpiredTrash()
        try await world.reopen(0)
        try await world[0].emptyExpiredTrash()
        #expect(try await world[0].item(id).title == "mine")
        #expect(try await world.titles(0) == ["120", "before", "mine", "mine too, day 99"])
        // Contents are cleared with every sixteenth revision: here the 112th and the 128th.
        for number in 1...111 { try await world[0].edit(id) { $0.title = "mine, \(number)" } }
        for number in 121...127 { try await world[0].edit(often) { $0.title = "\(number)" } }
        for item in [id, gone] { #expect(try await world[0].history(of: item).allSatisfy(\.isKept)) }
        let cleared = try await world[0].history(of: often).count { !$0.isKept }
        #expect(cleared > 0)
        // The item that the member removed is cleared too.
        #expect(try await world[0].verifyLog().cleared == cleared + 1)
        try await world.close()
    }

    /// A passphrase takes long to try, and the thief says how long. Two devices made keys at the same time, so a second header is needed.
    @Test func `makes nobody try a passphrase, or a recovery key, on headers that do not count`() async throws {
        let world = try await CircleWorld.met(3)
        for number in 0..<2 { try await world[number].rekeyCircle(VaultFixture.passphrase()) }
        try await world.meet()
        var thief = try await world[2].stolen()
        let owners = thief.graph.ownerKeys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(owners.count == 2)
        var header = try await world[0].currentHeader()
        let sealed = try #require(header.circle?.recovery.first?.owners.first).key
        header.circle?.owners = owners.map {
            HeaderCircle.Owner(publicKey: $0, sealed: [UInt8](repeating: 7, count: OwnerKey.sealedLength))
        }
        header.circle?.recovery[0].owners = owners.map { HeaderCircle.SealedOwner(publicKey: $0, key: sealed) }
        var records: [LogRecord] = []
        for _ in 0..<20 {
            header.generation += 1
            let encoded = try header.encoded(thief.keys)
            let operation = LogOperation.header(generation: header.generation, hash: VaultHeader.hash(encoded))
            records.append(try thief.write(operation, blob: encoded))
        }
        for number in 0..<2 { #expect(try await world[number].take(records).taken == records.count) }
        let before = world.fixtures[0].stretches
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        #expect(world.fixtures[0].stretches - before < 10)
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        for number in [0, 1] {
            #expect(try await world.overview(number).isMember)
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }

    /// It signs twice under one number; each other device has seen one of the two.
    @Test func `holds nobody up by signing twice`() async throws {
        let world = try await CircleWorld.met(3)
        var thief = try await world[2].stolen()
        let twin = try thief.signed(try thief.draft(.ignorable(131, [:])))
        let shown = try thief.edit(Item(title: "of the thief"))
        _ = try await world[0].take([shown])
        _ = try await world[1].take([twin])
        for number in 0..<2 { try await world[number].add(Item(title: "of \(number)")) }
        let own = try await [world[0].records(after: 0), world[1].records(after: 0)]
        _ = try await world[0].take([twin] + own[1])
        _ = try await world[1].take([shown] + own[0])
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "of 0", "of 1"], "\(number)")
            #expect(try await world.overview(number).devices.filter(\.hasBrokenRules).map(\.id) == [thief.id])
            try await world[number].add(Item(title: "on \(number)"))
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }
}
