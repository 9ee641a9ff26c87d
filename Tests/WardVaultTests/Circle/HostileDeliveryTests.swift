import Crypto
import Foundation
import Testing
import WardLog
import WardSync
import WardTesting

@testable import WardVault

/// A folder or a server changes, exchanges, repeats and withholds what devices of a circle wrote. Keys and files are real.
@Suite struct `Entries of a circle in hostile hands` {
    /// The entries that a device wrote after a number.
    private func records(_ world: CircleWorld, _ number: Int, after sequence: UInt64) async throws -> [LogRecord] {
        try await world[number].records(after: sequence)
    }

    @Test func `are refused if any byte of an entry or of its data is changed`() async throws {
        let world = try await CircleWorld.met(2)
        let last = try await world[1].lastOwnSequence()
        try await world[1].add(Item(title: "honest"))
        let record = try #require(try await records(world, 1, after: last).first)
        let before = try await world.view(0)
        for index in record.entry.encoded.indices {
            guard let changed = try? SignedEntry(encoded: record.entry.encoded.flipped(at: index)) else { continue }
            let report = try await world[0].take([LogRecord(entry: changed, blob: record.blob)])
            #expect(report.taken == 0, "byte \(index) of the entry")
        }
        let blob = try #require(record.blob)
        for index in blob.indices {
            let report = try await world[0].take([LogRecord(entry: record.entry, blob: blob.flipped(at: index))])
            #expect(report.troubles == [.otherData(entry: record.entry.hash)], "byte \(index) of the data")
        }
        #expect(try await world.view(0) == before)
        #expect(try await world[0].take([record]).taken == 1)
        #expect(try await world.titles(0) == ["before", "honest"])
        try await world.close()
    }

    /// Many signatures are checked at the same time.
    @Test func `are refused among many, and with them what comes after them`() async throws {
        let world = try await CircleWorld.met(2)
        let last = try await world[1].lastOwnSequence()
        for number in 0..<130 { try await world[1].add(Item(title: "\(number)")) }
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        let records = try await records(world, 1, after: last)
        let place = 100
        for spoil in [place, records.count - 1] {
            var signature = records[spoil].entry.signature
            signature[0] ^= 1
            var spoilt = records
            spoilt[spoil] = LogRecord(
                entry: SignedEntry(
                    entry: records[spoil].entry.entry,
                    payload: records[spoil].entry.payload,
                    signature: signature
                ),
                blob: records[spoil].blob
            )
            let report = try await world[0].take(spoilt)
            #expect(report.refused == [spoilt[spoil].entry.hash])
            #expect(report.taken == (spoil == place ? place : records.count - 1 - place))
        }
        #expect(try await world[0].take(records).hasNewHeader)
        #expect(try await world.titles(0).count == 131)
        try await world.close()
    }

    /// The whole operation is long, so only every eleventh byte of it is changed; with `WARD_THOROUGH` every byte.
    @Test func `are refused if a byte of a change of the circle, or of its header, is changed`() async throws {
        let world = try await CircleWorld.met(2)
        let last = try await world[1].lastOwnSequence()
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        let record = try #require(try await records(world, 1, after: last).first)
        let before = try await world.view(0)
        let step = ProcessInfo.processInfo.environment["WARD_THOROUGH"] == nil ? 11 : 1
        for index in stride(from: 0, to: record.entry.encoded.count, by: step) {
            guard let changed = try? SignedEntry(encoded: record.entry.encoded.flipped(at: index)) else { continue }
            let report = try await world[0].take([LogRecord(entry: changed, blob: record.blob)])
            #expect(report.taken == 0, "byte \(index) of the entry")
        }
        let blob = try #require(record.blob)
        for index in stride(from: 0, to: blob.count, by: step) {
            let report = try await world[0].take([LogRecord(entry: record.entry, blob: blob.flipped(at: index))])
            #expect(report.troubles == [.otherData(entry: record.entry.hash)], "byte \(index) of the header")
        }
        #expect(try await world.view(0) == before)
        #expect(try await world[0].take([record]).hasNewHeader)
        try await world.close()
    }

    @Test func `are refused with data of another revision, of another item and of another vault`() async throws {
        let world = try await CircleWorld.met(2)
        let other = try await CircleWorld.met(1)
        let foreign = try #require(try await records(other, 0, after: 0).last { $0.blob != nil }?.blob)
        let last = try await world[1].lastOwnSequence()
        let id = try await world[1].add(Item(title: "one"))
        try await world[1].edit(id) { $0.title = "two" }
        try await world[1].add(Item(title: "other item"))
        let right = try await records(world, 1, after: last)
        #expect(right.count == 3)
        let before = try await world.view(0)
        for (one, another) in [(0, 1), (1, 2), (0, 2)] {
            var swapped = right
            (swapped[one].blob, swapped[another].blob) = (right[another].blob, right[one].blob)
            let report = try await world[0].take([swapped[one], swapped[another]])
            #expect(report.taken == 0)
            #expect(
                Set(report.troubles)
                    == [one, another].reduce(into: []) { found, place in
                        found.insert(.otherData(entry: right[place].entry.hash))
                    }
            )
        }
        var strange = right
        strange[0].blob = foreign
        #expect(try await world[0].take(strange).taken == 0)
        // Another vault's entries, with their own data.
        let report = try await world[0].take(records(other, 0, after: 0))
        #expect(report.taken == 0 && !report.troubles.isEmpty)
        #expect(try await world.view(0) == before)
        #expect(try await world[0].take(right).taken == 3)
        for each in [world, other] { try await each.close() }
    }

    /// A stolen device signs an entry for data that was sealed for an earlier revision.
    @Test func `do not bring old data back under a new entry`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "old password"))
        try await world[0].edit(id) { $0.title = "new password" }
        try await world.meet()
        let own = try await records(world, 0, after: 0)
        let old = try #require(own.dropLast().last { $0.blob != nil }?.blob)
        var thief = try await world[1].stolen()
        let heads = thief.graph.heads(of: id.logged)
        let replayed = try thief.write(
            .revision(
                RevisionEntry(
                    item: id.logged,
                    number: (heads.map(\.record.number).max() ?? 0) + 1,
                    parents: heads.map(\.hash),
                    epoch: thief.keys.epoch,
                    blobHash: ItemSealing.hash(old)
                )
            ),
            blob: old
        )
        let report = try await world[0].take([replayed])
        #expect(report.taken == 1)
        // It is no revision that anybody can open, and the history has the right one.
        #expect(try await world[0].damagedItems().map(\.id) == [id])
        #expect(try await world.titles(0) == ["before"])
        await #expect(throws: VaultError(.damaged, "")) { try await world[0].verifyLog() }
        let history = try await world[0].history(of: id)
        let right = try #require(history.first { $0.number == 2 })
        #expect(try await world[0].item(id, revision: right.id).title == "new password")
        try await world[0].write { try $0.revert(id, to: right.id) }
        #expect(try await world[0].damagedItems().isEmpty)
        #expect(try await world.titles(0) == ["before", "new password"])
        // The revision stays in the log, and must not keep the log from being checked.
        #expect(try await world[0].verifyLog().unreadable == 1)
        try await world.close()
    }

    @Test func `are asked for wherever one is left out, and nothing is taken that builds on it`() async throws {
        let world = try await CircleWorld.met(2)
        let last = try await world[1].lastOwnSequence()
        let id = try await world[1].add(Item(title: "0"))
        for number in 1...3 { try await world[1].edit(id) { $0.title = "\(number)" } }
        try await world[1].renameDevice("desk")
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        try await world[1].edit(id) { $0.title = "4" }
        let all = try await records(world, 1, after: last)
        #expect(all.count == 7)
        try await world[0].close()
        for left in all.indices {
            let copy = try Vault.open(
                at: VaultFixture.location(try world.fixtures[0].copy()),
                environment: world.fixtures[0].environment
            )
            try await copy.unlock(with: VaultFixture.passphrase())
            var some = all
            some.remove(at: left)
            let report = try await copy.take(some)
            #expect(report.taken == left, "\(left)")
            #expect(report.missing == (left == all.count - 1 ? [] : [all[left].entry.hash]))
            #expect(try await copy.take(all).taken == all.count - left)
            #expect(try await copy.item(id).title == "4")
            try await copy.close()
        }
        try await world[1].close()
    }

    /// Silence is no proof: all that shows it is when a device was last heard.
    @Test func `of one device can all be held back, and only the time of its last entry shows it`() async throws {
        let world = try await CircleWorld.met(3)
        let third = try await world.id(2)
        let heard = try await world.overview(0).devices.first { $0.id == third }?.lastHeard
        world.fixtures[2].world.advance(by: 3_600)
        try await world[2].add(Item(title: "held back"))
        try await world[1].add(Item(title: "let through"))
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "let through"])
        let report = try await world.sync(0)
        #expect(report.missing.isEmpty && report.troubles.isEmpty && report.folderTroubles.isEmpty)
        #expect(try await world.overview(0).devices.first { $0.id == third }?.lastHeard == heard)
        // The first entry of another device that names one of them shows it.
        let hidden = try await records(world, 2, after: 0)
        _ = try await world[1].take(hidden)
        try await world[1].add(Item(title: "names it"))
        try await world.sync(1)
        #expect(try await world.sync(0).missing == [try #require(hidden.last).entry.hash])
        try await world.close()
    }

    /// What is written after a removal names it, so nobody reads on without it.
    @Test func `do not come without the removal that they know`() async throws {
        let world = try await CircleWorld.met(3)
        let last = try await world[0].lastOwnSequence()
        let lost = try await world.id(2)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[0].add(Item(title: "after the removal"))
        let all = try await records(world, 0, after: last)
        let removal = try #require(all.first)
        #expect(all.count == 2 && removal.blob != nil)
        let report = try await world[1].take(Array(all.dropFirst()))
        #expect(report.taken == 0 && report.missing == [removal.entry.hash])
        // The removal without its header is withheld, and so is what comes after it.
        let bare = try await world[1].take([LogRecord(entry: removal.entry), all[1]])
        #expect(bare.taken == 0 && bare.troubles == [.withheld(entry: removal.entry.hash)])
        #expect(try await world.members(1).count == 3)
        #expect(try await world[1].take(all).taken == 2)
        #expect(try await world.members(1) == ["device 0", "device 1"])
        #expect(try await world.titles(1) == ["after the removal", "before"])
        try await world.close()
    }

    /// Somebody brings an entry before its device does, and leaves the data out.
    @Test func `do not lose their data because a copy without it came first`() async throws {
        let world = try await CircleWorld.met(2)
        let last = try await world[1].lastOwnSequence()
        try await world[1].add(Item(title: "whole"))
        let record = try #require(try await records(world, 1, after: last).first)
        let bare = LogRecord(entry: record.entry)
        let alone = try await world[0].take([bare])
        #expect(alone.taken == 0 && alone.troubles == [.withheld(entry: record.entry.hash)] && alone.refused.isEmpty)
        #expect(try await world[0].take([bare, record, bare]).taken == 1)
        #expect(try await world.titles(0) == ["before", "whole"])
        try await world.close()
    }

    /// A recorder with a quantum computer finds nothing that is sealed with X25519 alone.
    @Test func `have no header that X25519 alone protects, and none from before the circle`() async throws {
        let world = try await CircleWorld.met(2)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        try await world[1].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("another"))
        let lost = try await world.id(1)
        try await world.meet()
        let another = try VaultFixture.passphrase("another")
        try await world[0].removeDevices([lost], another, recoveryKey: nil, keepsSecretKey: false)
        try await world.sync(0)
        var headers = 0
        for record in try world.records() {
            guard record.isHeader, let blob = record.blob else { continue }
            headers += 1
            let header = try VaultHeader(encoded: blob)
            #expect(header.circle != nil)
            #expect(header.recoveryPublicKey.isEmpty && header.recoveryEncapsulation.isEmpty)
            #expect(header.recoveryEnvelope.isEmpty && header.recoveryProof == nil)
            if case .circle(let operation) = record.entry.entry.operation {
                #expect(operation.keys?.sealed.allSatisfy { $0.suite == CircleSuite.xWing.rawValue } == true)
            }
        }
        #expect(headers == 5)
        let root = try await world[0].stolen().graph.circleRoot
        let graph = try await world[0].stolen().graph
        for record in try world.records() where record.blobHash != nil && record.isHeader && record.blob == nil {
            #expect(graph.isPast(record.entry.hash, of: try #require(root)))
        }
        try await world.close()
    }
}
