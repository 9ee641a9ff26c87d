import HTTPTypes
import Testing
import WardCBOR
import WardLog
import WardSyncServer
import WardText

@Suite struct `A vault with many chains` {
    /// An entry that names others, as it is said here; it is not taken in.
    private func entry(_ device: TestVault.Device, naming seen: [LogEntry.Seen]) throws -> LogRecord {
        var entry = try device.draft(.ignorable(200, [1: 1]))
        entry.seen = seen
        return try device.signed(entry)
    }

    /// Brings entries of a device, each of which names others, until one is refused.
    private func fill(
        _ server: SyncFixture,
        _ vault: TestVault,
        by device: TestVault.Device,
        naming seen: [LogEntry.Seen],
        _ token: String
    ) async throws -> (count: Int, answer: Answer) {
        var count = 0
        while true {
            let record = try entry(device, naming: seen)
            let answer = try await server.upload([record], to: vault.id, by: token)
            guard answer.status == .ok, count < 100 else { return (count, answer) }
            try device.take([record])
            count += 1
        }
    }

    /// Each entry that names another one has a number for each chain in memory.
    @Test func `takes only so many entries that name others, and its circle can change all the same`() async throws {
        var limits = SyncLimits.standard
        (limits.vaultEntries, limits.devicePercent) = (100, 25)
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let others = try (0..<58).flatMap { _ in try vault.enrolAlone() }
        try #require(try await server.upload(others, to: vault.id, by: token).status == .ok)
        let first = try #require(vault[1].log.last(where: { $0.entry.entry.device == vault[1].id })).entry
        let own = try await server.open(vault[1], in: vault.id)
        // A quarter of a hundred times 32 words, with 64 words an entry.
        let thief = try await fill(server, vault, by: vault[1], naming: first.entry.seen, own)
        #expect(thief.count == 12 && thief.answer.code == "quota_exceeded")
        #expect(thief.answer.problem?["of"] == "device")
        #expect(thief.answer.problem?["device"]?.stringValue == Hex.encode(vault[1].id.bytes))
        let size = await server.server.cachedEntries
        #expect(size > 72 + 64, "the memory counts")
        let seen = [LogEntry.Seen(device: vault[1].id, sequence: first.entry.sequence, hash: first.hash)]
        let honest = try await fill(server, vault, by: vault[0], naming: seen, token)
        #expect(honest.count == 6 && honest.answer.code == "quota_exceeded")
        #expect(honest.answer.problem?["of"] == "vault")
        #expect(await server.server.cachedEntries > size, "a refusal leaves the log in memory")
        let plain = try entry(vault[0], naming: [])
        #expect(try await server.upload([plain], to: vault.id, by: token).status == .ok)
        try vault[0].take([plain])
        // The removal names what the thief wrote.
        let begin = try vault.beginCircle()
        let root = begin.entry.hash
        for record in [begin, try vault.remove([vault[1]], by: vault[0])] {
            let head = try #require(try await server.head(vault.id))
            let answer = try await server.upload([record], to: vault.id, by: token, ifMatch: head, circle: root)
            #expect(answer.status == .ok, "\(answer)")
            #expect(record.entry.hash == root || !record.entry.entry.seen.isEmpty)
        }
        let later = try entry(vault[0], naming: seen)
        #expect(try await server.upload([later], to: vault.id, by: token).code == "quota_exceeded")
    }

    /// An operation of the circle has in memory which others it knows, also if it does not count.
    @Test func `counts what its entries know of the circle`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let operations = try (0..<40).map { _ in try vault.replaceRecoveryKey(by: vault[0]) }
        #expect(try await server.upload(operations, to: vault.id, by: token, ifMatch: 3).status == .ok)
        // Three sets for each, with a word for 64 operations and a header of four.
        #expect(await server.server.cachedEntries > 43 + 40 * 3 * 5 / 32)
    }

    /// Until a circle begins, whoever has one device has any number of them.
    @Test func `takes only so many of all devices together before a circle begins`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        let token = try await server.begin(vault)
        let first = try vault[1].fork(SyncLimits.namedChains)
        #expect(try await server.upload(first, to: vault.id, by: token).code == "equivocation")
        let second = try vault[2].fork(LogLimits.chains + 1)
        #expect(try await server.upload(second, to: vault.id, by: token).code == "too_many_chains")
        #expect(try await server.upload(second.dropLast(), to: vault.id, by: token).code == "equivocation")
        // A circle has a limited number of devices.
        let begin = try vault.beginCircle()
        let head = try #require(try await server.head(vault.id))
        let root = begin.entry.hash
        let answer = try await server.upload([begin], to: vault.id, by: token, ifMatch: head, circle: root)
        #expect(answer.status == .ok, "\(answer)")
        #expect(try await server.upload(second.suffix(1), to: vault.id, by: token).code == "equivocation")
    }

    @Test func `has the proof of each entry that contradicts another one, also if one upload brings them`() async throws
    {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        let token = try await server.begin(vault)
        let (one, other) = (try vault[1].fork(3), try vault[2].fork(2))
        let answer = try await server.upload(one + other, to: vault.id, by: token)
        let told = answer.problem?["evidence"]?.arrayValue ?? []
        let hashes = told.flatMap { $0["entries"]?.arrayValue ?? [] }.compactMap(\.stringValue)
        let expected = [one[0], one[1], one[0], one[2], other[0], other[1]].map { Hex.encode($0.entry.hash) }
        #expect(answer.code == "equivocation" && hashes == expected)
    }
}
