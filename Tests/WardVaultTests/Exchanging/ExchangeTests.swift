import Crypto
import Foundation
import Synchronization
import Testing
import WardLog
import WardTesting
import WardVault

/// What a vault takes from other devices.
@Suite struct `Entries of other devices` {
    @Test func `give all devices the same items, in whatever order they come`() async throws {
        let world = try await ExchangeFixture(devices: 3) { try await $0.add(Item(title: "first")) }
        let shared = try #require(try await world.items(0).keys.first)
        for number in 0..<3 {
            try await world[number].edit(shared) { $0.tags.append("of \(number)") }
            try await world[number].add(Item(title: "new on \(number)"))
        }
        let everything = try await world.everything()
        for number in 0..<3 {
            let own = try await world[number].thisDevice()
            let others = everything.filter { $0.entry.entry.device != own }
            var generator = ExchangeFixture.Numbers(state: UInt64(number))
            let shuffled = (others + others).shuffled(using: &generator)
            // In pieces, so that entries wait for others that come later.
            var waiting = shuffled
            while !waiting.isEmpty {
                _ = try await world[number].take(Array(waiting.prefix(3)))
                waiting.removeFirst(min(3, waiting.count))
            }
            let report = try await world[number].take(shuffled)
            #expect(report.missing.isEmpty && report.troubles.isEmpty)
        }
        let items = try await world.items(0)
        #expect(items.count == 4)
        #expect(try await world[0].item(shared).tags.sorted() == ["of 0", "of 1", "of 2"])
        for number in 0..<3 {
            #expect(try await world.items(number) == items)
            #expect(try await world[number].verifyLog().devices.count == 3)
            try await world.reopen(number)
            #expect(try await world.items(number) == items)
        }
        try await world.close()
    }

    @Test func `take a removal along, and a file that was attached`() async throws {
        let world = try await ExchangeFixture(devices: 2) { try await $0.add(Item(title: "goes")) }
        let gone = try #require(try await world.items(0).keys.first)
        try await world[1].write { try $0.purge(gone) }
        var item = Item(title: "with a file")
        item.attachments = [Attachment(name: "a.txt", content: Array("content".utf8))]
        let id = try await world[0].add(item)
        try await world.meet()
        for number in 0..<2 {
            #expect(try await world.items(number).keys.sorted() == [id])
            let found = try await world[number].item(id)
            #expect(try await world[number].content(of: found.attachments[0], in: id) == Array("content".utf8))
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }

    @Test func `are read again without harm, and asked for where one is missing`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        let id = try await world[0].add(Item(title: "one"))
        try await world[0].edit(id) { $0.title = "two" }
        let records = try await world[0].records(after: 0)
        let last = try #require(records.last)
        let report = try await world[1].take([last])
        #expect(report.taken == 0 && report.missing == [records[records.count - 2].entry.hash])
        #expect(try await world[1].take(records).taken == 2)
        let again = try await world[1].take(records)
        #expect(again.taken == 0 && again.known == records.count && again.items.isEmpty)
        try await world.close()
    }

    /// A hostile server exchanges, changes or keeps back data; nothing of it is taken, and the right data is taken afterwards.
    @Test func `are refused with data of another entry, with changed data and without data`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        try await world[0].add(Item(title: "one"))
        try await world[0].add(Item(title: "two"))
        let records = try await world[0].records(after: 0)
        var swapped = records
        (swapped[records.count - 1].blob, swapped[records.count - 2].blob) =
            (records[records.count - 2].blob, records[records.count - 1].blob)
        var report = try await world[1].take(swapped)
        #expect(report.taken == 0 && report.troubles.count == 2)
        var changed = records
        changed[records.count - 1].blob?[40] ^= 1
        report = try await world[1].take(changed)
        #expect(report.troubles == [.otherData(entry: records[records.count - 1].entry.hash)])
        #expect(report.taken == 1)
        var bare = records
        bare[records.count - 1].blob = nil
        report = try await world[1].take(bare)
        #expect(report.troubles == [.withheld(entry: records[records.count - 1].entry.hash)] && report.taken == 0)
        #expect(try await world.items(1).count == 1)
        #expect(try await world[1].take(records).taken == 1)
        #expect(try await world.items(1).count == 2)
        _ = try await world[1].verifyLog()
        try await world.close()
    }

    @Test func `are refused with a changed signature, and of another vault`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        let other = try await ExchangeFixture(devices: 1)
        try await world[0].add(Item(title: "one"))
        try await other[0].add(Item(title: "foreign"))
        let record = try #require(try await world[0].records(after: 0).last)
        var signature = record.entry.signature
        signature[3] ^= 1
        let bad = SignedEntry(entry: record.entry.entry, payload: record.entry.payload, signature: signature)
        var report = try await world[1].take([LogRecord(entry: bad, blob: record.blob)])
        #expect(report.taken == 0 && report.troubles.count == 1)
        report = try await world[1].take(try await other[0].records(after: 0))
        #expect(report.taken == 0 && !report.troubles.isEmpty)
        #expect(try await world.items(1).isEmpty)
        try await world.close()
        try await other.close()
    }

    /// They wait for another entry, and each came twice: once without its data, or with other data.
    @Test func `that wait keep the data that one of their copies has`() async throws {
        let world = try await ExchangeFixture(devices: 2) { try await $0.add(Item(title: "first")) }
        let sent = try await world[1].thisDevice()
        try await world[1].add(Item(title: "missing"))
        try await world[1].add(Item(title: "waits"))
        let record = try #require(try await world.everything().filter { $0.entry.entry.device == sent }.last)
        for blob in [nil, [UInt8](repeating: 1, count: 40)] {
            let other = LogRecord(entry: record.entry, blob: blob)
            for copies in [[other, record], [record, other], [other, record, other]] {
                #expect(try await world[0].unknown(copies) == [record])
            }
        }
        try await world.close()
    }

    @Test func `of this device itself are taken back, unless it wrote others`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        try await world[0].close()
        let copy = try world.fixtures[0].copy()
        try await world.reopen(0)
        try await world[0].add(Item(title: "written before the disk was put back"))
        let records = try await world[0].records(after: 0)
        let restored = try Vault.open(
            at: VaultFixture.location(copy),
            environment: world.fixtures[0].environment
        )
        try await restored.unlock(with: VaultFixture.passphrase())
        let report = try await restored.take(records)
        #expect(report.taken == 1 && report.restored == 1 && report.troubles.isEmpty)
        try await restored.add(Item(title: "of the copy"))
        try await world[0].add(Item(title: "of the other copy"))
        let beside = try await restored.take(world[0].records(after: 0))
        #expect(beside.taken == 0 && beside.troubles == [.hasOwnEntries])
        // Somebody else's forgery in the name of this device stops nothing.
        let last = try #require(records.last)
        let forged = SignedEntry(
            entry: last.entry.entry,
            payload: last.entry.payload,
            signature: last.entry.signature.reversed()
        )
        let other = try await world[1].add(Item(title: "of the other one"))
        let honest = try await world[1].records(after: 0)
        let mixed = try await restored.take([LogRecord(entry: forged, blob: last.blob)] + honest)
        #expect(mixed.items == [other] && mixed.troubles.count == 1 && !mixed.troubles.contains(.hasOwnEntries))
        try await restored.close()
        try await world.close()
    }

    @Test func `bring a new passphrase along`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        try await world[0].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("another one"))
        try await world[0].add(Item(title: "later"))
        var records = try await world[0].records(after: 0)
        let place = try #require(
            records.firstIndex { if case .header(2..., _) = $0.entry.entry.operation { true } else { false } }
        )
        let header = records[place].blob
        // Without the header, and with another one.
        records[place].blob = nil
        #expect(try await world[1].take(records).troubles == [.withheld(entry: records[place].entry.hash)])
        records[place].blob = header
        let report = try await world[1].take(records)
        #expect(report.hasNewHeader && report.troubles.isEmpty)
        #expect(try await world.items(1).count == 1)
        try await world[1].add(Item(title: "goes on"))
        try await world[1].close()
        #expect(await world.fixtures[1].refusal() == .wrongPassphrase)
        try await world.fixtures[1].unlocked("another one").close()
        try await world[0].close()
    }

    /// Both change the passphrase: the same one counts on both devices, and both files open with it.
    @Test func `with two new passphrases leave one that opens both files`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        for (number, words) in ["one of them", "the other one"].enumerated() {
            let new = try VaultFixture.passphrase(words)
            try await world[number].changePassphrase(from: VaultFixture.passphrase(), to: new)
        }
        try await world.meet()
        for vault in world.vaults {
            _ = try await vault.verifyLog()
            try await vault.close()
        }
        var opening: [Set<String>] = []
        for fixture in world.fixtures {
            var words: Set<String> = []
            for candidate in ["one of them", "the other one"] where await fixture.refusal(candidate) == nil {
                words.insert(candidate)
            }
            opening.append(words)
        }
        #expect(opening[0] == opening[1] && opening[0].count == 1)
    }

    /// What nobody needs to keep any more may be missing, and nothing else.
    @Test(arguments: [29, 31])
    func `may lack an old revision that was superseded a month ago`(days: Int64) async throws {
        let world = try await ExchangeFixture(devices: 2)
        let id = try await world[0].add(Item(title: "first"))
        for number in 0..<101 { try await world[0].edit(id) { $0.title = "\(number)" } }
        for fixture in world.fixtures { fixture.world.advance(by: days * 86_400) }
        var records = try await world[0].records(after: 0)
        let first = try #require(records.firstIndex { $0.blob != nil && $0.sequence > 1 && isRevision($0) })
        records[first].blob = nil
        var report = try await world[1].take(records)
        if days < 30 {
            #expect(report.taken == 0 && report.troubles == [.withheld(entry: records[first].entry.hash)])
        } else {
            #expect(report.taken == 102 && report.troubles.isEmpty)
            _ = try await world[1].verifyLog()
            #expect(try await world[1].item(id).title == "100")
        }
        // A newer one must be there, however much time has passed.
        let other = try await ExchangeFixture(devices: 2)
        let kept = try await other[0].add(Item(title: "first"))
        try await other[0].edit(kept) { $0.title = "second" }
        for fixture in other.fixtures { fixture.world.advance(by: 400 * 86_400) }
        var recent = try await other[0].records(after: 0)
        recent[recent.count - 2].blob = nil
        report = try await other[1].take(recent)
        #expect(report.taken == 0 && report.troubles == [.withheld(entry: recent[recent.count - 2].entry.hash)])
        try await world.close()
        try await other.close()
    }

    private func isRevision(_ record: LogRecord) -> Bool {
        if case .revision = record.entry.entry.operation { true } else { false }
    }

    /// This device could not open the vault any more: its person must bring the new Secret Key first.
    @Test func `with a header for another Secret Key are not taken`() async throws {
        let (first, second) = (try VaultFixture(), try VaultFixture())
        let (made, key) = try await first.createWithKey()
        try await made.close()
        let copy = try first.copy()
        try FileManager.default.moveItem(atPath: copy.path + "/data", toPath: second.folder.path + "/data")
        try first.remove(first.location.secretKey)
        let recovered = try first.open()
        try await recovered.recover(with: key, newPassphrase: VaultFixture.passphrase("after the loss"))
        try await recovered.add(Item(title: "later"))
        let records = try await recovered.records(after: 0)
        let vault = try await second.unlocked(trusting: .thisFile)
        let report = try await vault.take(records)
        let needs = report.troubles.contains { if case .needsSecretKey = $0 { true } else { false } }
        #expect(needs && !report.hasNewHeader)
        #expect(try await vault.summaries().isEmpty)
        try await vault.close()
        #expect(await second.refusal() == nil)
        try await recovered.close()
    }

    /// A full disk and a kill at each write: all entries or none.
    @Test func `are all there or none, wherever the disk refuses`() async throws {
        let world = try await ExchangeFixture(devices: 2)
        for number in 0..<3 { try await world[0].add(Item(title: "item \(number)")) }
        let records = try await world[0].records(after: 0)
        try await world[1].close()
        for budget in 0..<8 {
            let copy = try world.fixtures[1].copy()
            let counter = Counter(budget)
            let environment = VaultEnvironment(
                effects: world.fixtures[1].world.effects,
                beforeWrite: { _ in try counter.take() },
                stretch: { Array(SHA256.hash(data: $0 + $1)) },
                checkpointDelay: nil
            )
            let vault = try Vault.open(at: VaultFixture.location(copy), environment: environment)
            try await vault.unlock(with: VaultFixture.passphrase())
            counter.start()
            let report = try? await vault.take(records)
            counter.stop()
            let expected = report == nil ? 0 : 3
            #expect(try await vault.summaries().count == expected, "\(budget)")
            _ = try await vault.verifyLog()
            try await vault.close()
            let again = try Vault.open(at: VaultFixture.location(copy), environment: world.fixtures[1].environment)
            try await again.unlock(with: VaultFixture.passphrase())
            #expect(try await again.summaries().count == expected, "\(budget)")
            _ = try await again.verifyLog()
            try await again.close()
        }
        try await world[0].close()
    }
}

/// Lets a number of writes pass, once it was started.
private final class Counter: Sendable {
    private let left: Mutex<Int?> = Mutex(nil)
    private let budget: Int

    init(_ budget: Int) { self.budget = budget }

    func start() { left.withLock { $0 = budget } }
    func stop() { left.withLock { $0 = nil } }

    func take() throws {
        try left.withLock { left in
            guard let count = left else { return }
            guard count > 0 else { throw VaultError(.diskFull, "") }
            left = count - 1
        }
    }
}
