import Foundation
import Testing
import WardCBOR
import WardDownload
import WardLog
import WardSync
import WardTesting

@testable import WardVault

/// A stolen device signs many entries with one number.
@Suite struct `A device that signs many entries beside each other` {
    /// Entries with one number, each with another content, and one more behind each.
    private func forks(_ thief: Thief, _ count: Int, after salt: Int = 0) throws -> [[LogRecord]] {
        try (0..<count).map { number in
            var thief = thief
            let body: LogOperation = .ignorable(200, [1: .integer(Int64(salt + number))])
            return [try thief.write(body), try thief.write(.ignorable(201, [:]))]
        }
    }

    @Test func `costs others eight chains, and is removed`() async throws {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        let chains = try forks(thief, 70)
        let report = try await world[0].take(chains.flatMap { $0 })
        #expect(report.taken == 16 && report.surplus.count == 124 && report.troubles.isEmpty)
        #expect(try await world[0].stolen().graph.chains(of: thief.id) == LogLimits.chains)
        let proofs = try await world.overview(0).devices.compactMap(\.proof)
        let entry = chains[0][0].entry
        #expect(proofs.map(\.sequence) == [entry.entry.sequence])
        #expect(proofs.map(\.entries) == [[entry.hash, chains[1][0].entry.hash]])
        try await world[0].add(Item(title: "goes on"))
        // A sync that begins compares the folder with the vault.
        try await world.reopen(0)
        let id = thief.id
        try await world[0].removeDevices([id], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1, 0] { try await world.sync(number) }
        #expect(try await world.titles(1) == ["before", "goes on"])
        #expect(try await world.members(1) == ["device 0", "device 1"])
        for number in 0..<2 { try await world.reopen(number) }
        #expect(try await world.titles(0) == ["before", "goes on"])
        try await world.close()
    }

    /// The server stores the entries, and says with an error that they contradict each other.
    @Test func `keeps nobody from bringing the vault to a server`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        let chains = try forks(thief, 2)
        for number in 0..<2 { _ = try await world[number].take(chains.flatMap { $0 }) }
        for number in 0..<100 { try await world[0].add(Item(title: "goes on \(number)")) }
        let report = try await server.sync(world[0], invitation: server.invite()).run()
        #expect(report.serverTroubles.map(\.code) == [.equivocation])
        _ = try await server.sync(world[1]).run()
        #expect(try await world.titles(1).contains("goes on 99"))
        try await world.close()
    }

    /// The other entry is here, so the server's word about that is true; what it says of the upload need not be.
    @Test(arguments: [true, false])
    func `is named by a server, which must have what it was brought`(isKept: Bool) async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(3)
        let chains = try forks(try await world[2].stolen(), 2)
        let syncs = [try server.sync(world[0], invitation: try await server.invite()), try server.sync(world[1])]
        for sync in syncs { _ = try await sync.run() }
        // Each device knows another one of the two entries, and builds on it.
        for number in 0..<2 {
            _ = try await world[number].take(chains[number])
            try await world[number].add(Item(title: "of \(number)"))
        }
        _ = try await syncs[1].run()
        if !isKept {
            server.between { request, ask in
                let before = server.store.copy()
                let answer = try await ask(request)
                if String(decoding: answer.body, as: UTF8.self).contains("equivocation") { server.use(before) }
                return answer
            }
            await #expect(throws: ServerError(.wrongAnswer)) { try await syncs[0].run() }
            server.between(nil)
        }
        let report = try await syncs[0].run()
        #expect(report.serverTroubles.map(\.code) == [.equivocation])
        _ = try await syncs[1].run()
        #expect(try await world.titles(1) == ["before", "of 0", "of 1"])
        try await world.close()
    }

    /// Each device gets other chains, and names those that it has.
    @Test func `separates nobody, also if each device was shown other entries`() async throws {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        let (mine, theirs) = (try forks(thief, 8), try forks(thief, 8, after: 100))
        #expect(try await world[0].take(mine.flatMap { $0 }).taken == 16)
        #expect(try await world[1].take(theirs.flatMap { $0 }).taken == 16)
        // Too many for each of them, as long as nobody names them.
        #expect(try await world[0].take(theirs.flatMap { $0 }).surplus.count == 16)
        try await world[0].add(Item(title: "of 0"))
        try await world[1].add(Item(title: "of 1"))
        // What names them may come in any order with them.
        let written = [try await world[0].records(after: 0), try await world[1].records(after: 0)]
        let report = try await world[0].take((written[1] + theirs.flatMap { $0 }).reversed())
        #expect(report.surplus.isEmpty && report.missing.isEmpty)
        #expect(try await world[1].take(mine.flatMap { $0 } + written[0]).missing.isEmpty)
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "of 0", "of 1"])
            #expect(try await world[number].stolen().graph.chains(of: thief.id) == 16)
            try await world.reopen(number)
        }
        #expect(try await world.view(0) == world.view(1))
        try await world.close()
    }

    /// Each chain knows an operation that the entry before it did not know, and so is an entry of the circle.
    /// Not all of them wait in memory, so the folder is read again once somebody names one that did not.
    @Test func `separates nobody with thousands of entries in the folder`() async throws {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        let chains = try forks(thief, 700)
        let remote = FolderRemote(folder: world.folder.path, vault: thief.vault)
        try remote.carry(chains.flatMap { $0 }, by: thief.id)
        // Another device was shown the last ones first.
        #expect(try await world[1].take(chains.suffix(8).flatMap { $0 }).taken == 16)
        let report = try await world.sync(0)
        #expect(report.taken == 16)
        try await world[1].add(Item(title: "of 1"))
        for number in [1, 0, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "of 1"])
        // Some of those that it took itself can be among those that the other one has.
        let count = try await world[0].stolen().graph.chains(of: thief.id)
        #expect(count > LogLimits.chains && count <= 2 * LogLimits.chains)
        // Nothing is read again without a reason.
        #expect(try await world.sync(0).taken == 0)
        try await world.close()
    }

    @Test func `with the help of another one, keeps nobody from writing either`() async throws {
        let world = try await CircleWorld.met(4)
        var (thief, helper) = (try await world[2].stolen(), try await world[3].stolen())
        let words = try VaultFixture.passphrase()
        let before = try await world[0].records(after: 0).count
        try await world[0].rekeyCircle(words)
        let news = try await Array(world[0].records(after: 0).dropFirst(before))
        for record in news {
            try thief.graph.take(record.entry)
            try helper.graph.take(record.entry)
        }
        let own = try helper.write(.ignorable(200, [:]))
        let chains = try (Int64(0)..<200).map { try thief.signed(thief.draft(.ignorable(200, [1: .integer($0)]))) }
        // It knows the operation, so it would be no entry of the circle, however many it names.
        var entry = try helper.draft(.ignorable(201, [:]))
        entry.seen += chains.map { LogEntry.Seen(device: thief.id, sequence: $0.sequence, hash: $0.entry.hash) }
        let naming = try helper.signed(entry)
        for number in 0..<2 {
            let report = try await world[number].take(news + [own] + chains + [naming])
            #expect(report.refused == [naming.entry.hash])
            try await world[number].add(Item(title: "of \(number)"))
        }
        try await world[1].removeDevices(
            [thief.id, helper.id],
            words,
            recoveryKey: nil,
            keepsSecretKey: false
        )
        let written = try await world[1].records(after: 0)
        #expect(try await world[0].take(written).missing.isEmpty)
        #expect(try await world.members(0) == ["device 0", "device 1"])
        #expect(try await world.titles(0) == ["before", "of 0", "of 1"])
        try await world.reopen(0)
        try await world.close()
    }

    @Test func `with operations that do not stand, makes others write no statements`() async throws {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen()
        let before = try await world[0].stolen().graph.circlePositions.count
        for number in UInt8(0)..<5 {
            #expect(try await world[0].take([try thief.write(.circle(.place([number])))]).taken == 1)
            try await world[0].add(Item(title: "item \(number)"))
        }
        // The first one may tell of an operation.
        #expect(try await world[0].stolen().graph.circlePositions.count <= before + 1)
        try await world.close()
    }

    @Test func `a wrong signature names nothing`() async throws {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        #expect(try await world[0].take(try forks(thief, 8).flatMap { $0 }).taken == 16)
        let surplus = try forks(thief, 1, after: 100)[0]
        // An entry in the name of another device that names it.
        let last = surplus[1].entry.entry
        let seen = LogEntry.Seen(device: last.device, sequence: last.sequence, hash: surplus[1].entry.hash)
        var entry = try await world[1].stolen().draft(.ignorable(200, [:]))
        entry.seen.append(seen)
        let forged = try thief.signed(entry)
        let report = try await world[0].take(surplus + [forged])
        #expect(report.taken == 0 && report.surplus == Set(surplus.map(\.entry.hash)))
        try await world.close()
    }

    @Test func `with more ends than one entry should name, entries that only name come first`() async throws {
        let world = try await CircleWorld.met(7)
        var chains: [LogRecord] = []
        for number in 2..<7 { chains += try forks(try await world[number].stolen(), 8).flatMap { $0 } }
        #expect(try await world[0].take(chains).taken == 80)
        let before = try await world[0].records(after: 0).count
        try await world[0].add(Item(title: "goes on"))
        let own = try await world[0].records(after: 0).dropFirst(before).map(\.entry.entry)
        #expect(own.map(\.seen.count) == [32, 8, 0])
        #expect(own.map(\.operation).prefix(2) == [.naming, .naming])
        try await world[0].add(Item(title: "and on"))
        #expect(try await world[0].records(after: 0).last?.entry.entry.seen == [])

        // Another one has them too, and removes the thieves: five at once.
        #expect(try await world[1].take(chains).taken == 80)
        let thieves = try await (2..<7).asyncMap { try await world.id($0) }
        let words = try VaultFixture.passphrase()
        try await world[1].removeDevices(Set(thieves), words, recoveryKey: nil, keepsSecretKey: false)
        for number in [1, 0, 1] { try await world.sync(number) }
        for number in 0..<2 {
            #expect(try await world.members(number) == ["device 0", "device 1"])
            #expect(try await world.titles(number) == ["and on", "before", "goes on"])
            _ = try await world[number].verifyLog()
            try await world.reopen(number)
        }
        #expect(try await world.view(0) == world.view(1))
        try await world.close()
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var found: [T] = []
        for element in self { found.append(try await body(element)) }
        return found
    }
}
