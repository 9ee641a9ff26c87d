import Foundation
import HTTPTypes
import Testing
import WardCBOR
import WardLog
import WardSyncRecords
import WardSyncServer
import WardSyncStoreSQLite
import WardTesting

@Suite struct `Uploads at once` {
    @Test func `of many devices are all taken, in some order`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 8)
        var tokens = [try await server.begin(vault)]
        for device in vault.devices.dropFirst() { tokens.append(try await server.open(device, in: vault.id)) }
        let (id, token) = (vault.id, tokens[0])
        let chains = try vault.devices.map { device in try (0..<5).map { _ in try device.edit(9) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (chain, token) in zip(chains, tokens) {
                group.addTask {
                    for record in chain {
                        let answer = try await server.upload([record], to: id, by: token)
                        guard answer.status == .ok else { throw Trouble(answer) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let read = try await server.get(vault.id, "/entries", by: token)
        #expect(read.entries.map(\.number) == Array(1...48))
        // A reader in this order can take each.
        var graph = LogGraph(vault.id)
        for entry in read.entries { #expect(try graph.take(entry.entry) == .taken) }
    }

    @Test func `of operations of the circle: one is taken`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 4)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let id = vault.id
        let removals = [
            try vault.remove([vault[3]], by: vault[1]), try vault.remove([vault[3]], by: vault[2]),
        ]
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for removal in removals {
                group.addTask { try await server.upload([removal], to: id, by: token, ifMatch: 5) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == .ok } == 1 && answers.count { $0.code == "head_moved" } == 1)
    }

    @Test func `of too many requests for one vault are refused`() async throws {
        var limits = SyncLimits.standard
        limits.waitingForVault = 1
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store, limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let id = vault.id
        // The same four times, as often as a device may: whichever comes first gets as far as the store.
        let edit = try vault[0].edit()
        store.close()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<4 { group.addTask { try await server.upload([edit], to: id, by: token) } }
            var answers: [Answer] = []
            // One works, one waits, and the others are refused at once.
            for _ in 0..<2 { if let answer = try await group.next() { answers.append(answer) } }
            #expect(answers.allSatisfy { $0.code == "busy" })
            store.open()
            for try await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers.count == 4 && answers.suffix(2).allSatisfy { $0.status == .ok })
    }

    /// Two processes, or two servers, over one database.
    @Test func `through two servers over one store are all taken`() async throws {
        let store = MemorySyncStore()
        let servers = [SyncFixture(store), SyncFixture(store)]
        let vault = try TestVault(devices: 2)
        let tokens = [
            try await servers[0].begin(vault), try await servers[1].open(vault[1], in: vault.id),
        ]
        for round in 0..<4 {
            let edit = try vault[round % 2].edit(UInt8(round + 1))
            let answer = try await servers[round % 2].upload([edit], to: vault.id, by: tokens[round % 2])
            #expect(answer.status == .ok)
        }
        let record = try vault.beginCircle()
        let head = try #require(try await store.vault(vault.id)).head
        let root = record.entry.hash
        let answer = try await servers[0].upload(
            vault[0].log,
            to: vault.id,
            by: tokens[0],
            ifMatch: head,
            circle: root
        )
        #expect(answer.status == .ok)
        let removal = try vault.remove([vault[1]], by: vault[0])
        let other = try await servers[1].upload([removal], to: vault.id, by: tokens[0], ifMatch: head + 1)
        #expect(other.status == .ok)
        #expect(try await servers[0].tryToOpen(vault[1], in: vault.id).code == "device_removed")
    }
}

@Suite struct `Trouble of the store` {
    /// Killed after the commit: the device gets no answer, and asks again.
    @Test func `between commit and answer: the same again is done`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        store.losesAnswers = true
        #expect(try await server.upload([edit], to: vault.id, by: token).code == "unavailable")
        store.losesAnswers = false
        #expect(try await server.upload([edit], to: vault.id, by: token).cbor == [1: 2, 2: 0])
        let next = try vault[0].edit()
        #expect(try await server.upload([next], to: vault.id, by: token).cbor == [1: 3, 2: 1])
    }

    /// The next request takes into it what the store has, in place of reading everything again.
    @Test func `with several entries leaves the log in memory as it was`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        try #require(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let edits = try (0..<2).map { _ in try vault[0].edit() }
        store.losesAnswers = true
        #expect(try await server.upload(edits, to: vault.id, by: token).code == "unavailable")
        #expect(await server.server.cachedEntries == 2)
        store.losesAnswers = false
        #expect(try await server.upload(edits, to: vault.id, by: token).cbor == [1: 4, 2: 0])
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).cbor == [1: 5, 2: 1])
        #expect(await server.server.cachedEntries == 5)
    }

    /// Otherwise each try would read the whole log again.
    @Test(arguments: [false, true]) func `with a single entry leaves the log in memory as it was`(
        hasCircle: Bool
    ) async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault(devices: 2)
        if hasCircle { try vault.beginCircle() }
        let token = try await server.begin(vault)
        try #require(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let (head, before) = (try #require(try await server.head(vault.id)), store.readings)
        let edit = try vault[0].edit()
        store.isFull = true
        for _ in 0..<3 { #expect(try await server.upload([edit], to: vault.id, by: token).code == "unavailable") }
        #expect(await server.server.cachedEntries == Int(head))
        store.isFull = false
        #expect(try await server.upload([edit], to: vault.id, by: token).tag == "\"\(head + 1)\"")
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).tag == "\"\(head + 2)\"")
        #expect(store.readings == before)
        // Now nobody knows whether it is there.
        let last = try vault[0].edit()
        store.losesAnswers = true
        #expect(try await server.upload([last], to: vault.id, by: token).code == "unavailable")
        #expect(await server.server.cachedEntries == Int(head + 2))
        store.losesAnswers = false
        #expect(try await server.upload([last], to: vault.id, by: token).tag == "\"\(head + 3)\"")
        let all = try await server.get(vault.id, "/entries", by: token)
        #expect(all.entries.map(\.entry.hash) == vault[0].log.map(\.entry.hash))
    }

    @Test func `before an upload is checked leaves the log in memory`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault()
        try await server.bring(vault[0].log, by: try await server.invite(as: "ada"))
        let token = try await server.open(vault[0], in: vault.id)
        try #require(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let edit = try vault[0].edit()
        store.knowsNoAccounts = true
        #expect(try await server.upload([edit], to: vault.id, by: token).code == "unavailable")
        #expect(await server.server.cachedEntries == 2)
        store.knowsNoAccounts = false
        #expect(try await server.upload([edit], to: vault.id, by: token).cbor == [1: 3, 2: 1])
    }

    @Test func `kill -9 between commit and answer: everything is there, and the same again is done`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/sync.sqlite"
        let store = try SQLiteSyncStore(path: path)
        let vault = try TestVault()
        let token = try await SyncFixture(store).begin(vault)
        try await store.close()
        let edits = try (0..<3).map { _ in try vault[0].edit() }
        let (body, id) = (edits.flatMap(\.encoded), vault.id.bytes)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, token = token as String, body = body as [UInt8], id = id as [UInt8]] in
            let store = SlowStore(try SQLiteSyncStore(path: path))
            store.killsItself = true
            let records = try LogRecord.decodeSequence(body, atMost: 10)
            guard let vault = VaultID(id) else { return }
            _ = try await SyncFixture(store).upload(records, to: vault, by: token)
        }
        let again = try SQLiteSyncStore(path: path)
        let server = SyncFixture(again)
        #expect(try await server.upload(edits, to: vault.id, by: token).cbor == [1: 4, 2: 0])
        #expect(try await server.get(vault.id, "/entries?after=1", by: token).entries.map(\.blob) == edits.map(\.blob))
        try await again.close()
    }

    @Test func `says nothing of itself`() async throws {
        let store = MemorySyncStore()
        let server = SyncFixture(store)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        for code in [SyncStoreError.Code.damaged, .unavailable] {
            store.fail(SyncStoreError(code, detail: "secret detail"))
            let answer = try await server.get(vault.id, "/heads", by: token)
            #expect(answer.code == "unavailable" && !String(decoding: answer.body, as: UTF8.self).contains("secret"))
            #expect(try await server.send(.get, "/readyz").code == "unavailable")
        }
        store.fail(SyncStoreError(.busy))
        #expect(try await server.get(vault.id, "/heads", by: token).code == "busy")
        store.fail(nil)
        server.world.advance(by: 2)
        #expect(try await server.send(.get, "/readyz").status == .ok)
        #expect(try await server.send(.get, "/healthz").status == .ok)
    }

    /// Nobody needs a session for that, and each test is a write.
    @Test func `is looked for once in two seconds, however often strangers ask`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        for _ in 0..<20 { #expect(try await server.send(.get, "/readyz").status == .ok) }
        #expect(store.probes == 1)
        server.world.advance(by: 1)
        #expect(try await server.send(.get, "/readyz").status == .ok)
        #expect(store.probes == 1)
        server.world.advance(by: 1)
        #expect(try await server.send(.get, "/readyz").status == .ok)
        #expect(store.probes == 2)
    }

    @Test func `entries that are no log are not built upon`() async throws {
        let store = MemorySyncStore()
        try await store.begin(1, SyncSample.chain(1, 3), keys: [SyncSample.key(1)])
        let server = SyncFixture(store)
        let token = try #require(SyncToken([UInt8](repeating: 1, count: 32)))
        var session = SyncSample.session(1, of: 1, until: .max)
        session.token = token.hash
        try await store.open(session, limit: 1)
        let record = SyncSample.record(1, 4)
        #expect(try await server.upload([record], to: SyncSample.vaultID(1), by: token.text).code == "unavailable")
    }
}

@Suite struct `The logs in memory` {
    @Test func `are bounded, and read again from the store`() async throws {
        var limits = SyncLimits.standard
        limits.cachedEntries = 10
        let server = SyncFixture(limits: limits)
        let vaults = try (0..<4).map { _ in try TestVault() }
        var tokens: [String] = []
        for vault in vaults {
            for _ in 0..<5 { try vault[0].edit() }
            tokens.append(try await server.begin(vault))
        }
        for _ in 0..<2 {
            for (vault, token) in zip(vaults, tokens) {
                #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
                #expect(await server.server.cachedEntries <= 10)
            }
        }
    }

    /// The vault in use is in memory even if it is larger than all of them may be.
    @Test func `have room for the one in use`() async throws {
        var limits = SyncLimits.standard
        limits.cachedEntries = 2
        let server = SyncFixture(limits: limits)
        let vault = try TestVault()
        for _ in 0..<5 { try vault[0].edit() }
        let token = try await server.begin(vault)
        for _ in 0..<3 {
            #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        }
        #expect(await server.server.cachedEntries == 9)
    }

    @Test func `stay if the one in use is larger than all of them may be`() async throws {
        var limits = SyncLimits.standard
        limits.cachedEntries = 10
        let server = SyncFixture(limits: limits)
        let vaults = try (0..<3).map { _ in try TestVault() }
        for _ in 0..<12 { try vaults[2][0].edit() }
        var tokens: [String] = []
        for vault in vaults { tokens.append(try await server.begin(vault)) }
        var counts: [Int] = []
        for index in [0, 1, 2, 2, 0] {
            let answer = try await server.upload([try vaults[index][0].edit()], to: vaults[index].id, by: tokens[index])
            #expect(answer.status == .ok)
            counts.append(await server.server.cachedEntries)
        }
        #expect(counts == [2, 4, 18, 19, 5])
    }

    /// All logs are looked at to find out which were not used for longest.
    @Test func `are dropped a few at once when there is no more room`() async throws {
        var limits = SyncLimits.standard
        limits.cachedEntries = 32
        let server = SyncFixture(limits: limits)
        for count in 1...17 {
            let vault = try TestVault()
            let token = try await server.begin(vault)
            #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
            #expect(await server.server.cachedEntries == (count == 17 ? 30 : 2 * count))
        }
    }

    /// An account can have vaults that do not fit into memory together.
    @Test func `are read again only so often for one account`() async throws {
        var limits = SyncLimits.standard
        (limits.cachedEntries, limits.readings) = (8, Rate(atOnce: 40, perSecond: 2))
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store, limits: limits)
        var own: [(vault: TestVault, token: String)] = []
        for account in ["ada", "ada", "bob"] {
            let vault = try TestVault()
            for _ in 0..<9 { try vault[0].edit() }
            try await server.bring(vault[0].log, by: try await server.invite(as: account))
            own.append((vault, try await server.open(vault[0], in: vault.id)))
        }
        func ask(_ index: Int) async throws -> Answer {
            let (vault, token) = own[index]
            return try await server.upload([vault.genesis], to: vault.id, by: token)
        }
        // Each is larger than all logs may be, so each takes the place of the other one.
        for index in [0, 1, 0, 1] { #expect(try await ask(index).status == .ok) }
        let before = store.readings
        let refused = try await ask(0)
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "5")
        #expect(store.readings == before)
        // What is in memory costs nothing, and nobody else waits.
        #expect(try await ask(1).status == .ok)
        #expect(try await ask(2).status == .ok)
        server.world.advance(by: 5)
        #expect(try await ask(0).status == .ok)
    }

    /// With a circle other entries count, and a device can sign a beginning that is refused only then.
    @Test func `are read again only so often for a beginning of the circle that is refused`() async throws {
        var limits = SyncLimits.standard
        limits.readings = Rate(atOnce: 8, perSecond: 1)
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store, limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        try #require(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let begin = try vault.beginCircle()
        var entry = begin.entry.entry
        entry.approvals[0].signature[0] ^= 1
        let spoiled = try vault[0].signed(entry, blob: begin.blob)
        func bring(_ record: LogRecord) async throws -> Answer {
            let root = record.entry.hash
            return try await server.upload([record], to: vault.id, by: token, ifMatch: 2, circle: root)
        }
        // The first upload read one entry, and each of these reads two.
        for _ in 0..<3 { #expect(try await bring(spoiled).code == "entry_refused") }
        let before = store.readings
        let refused = try await bring(spoiled)
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "1")
        #expect(store.readings == before)
        server.world.advance(by: 1)
        #expect(try await bring(begin).status == .ok)
    }

    @Test func `are not read again for an upload without the entry that it says begins the circle`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        try #require(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let edit = try vault[0].edit()
        let before = store.readings
        for root in [vault.genesis.entry.hash, edit.entry.hash, [UInt8](repeating: 9, count: 32)] {
            let answer = try await server.upload([edit], to: vault.id, by: token, circle: root)
            #expect(answer.code == "circle_root_not_found")
        }
        #expect(before > 0 && store.readings == before)
    }
}
