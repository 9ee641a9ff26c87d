import Synchronization
import Testing
import WardDownload
import WardLog
import WardSync
import WardSyncRecords
import WardTesting
import WardText

@testable import WardVault

/// Vaults on several devices that sync through the real server.
@Suite struct `A sync with a server` {
    /// The devices of a circle, whose vault is on the server.
    private func begin(
        devices count: Int = 2,
        items: Int = 1,
        _ server: SyncServerFixture
    ) async throws -> (world: CircleWorld, syncs: [ServerSync]) {
        let world = try await CircleWorld(devices: count, items: items)
        try await world.meet()
        let invitation = try await server.invite()
        var syncs = [try server.sync(world[0], invitation: invitation)]
        _ = try await syncs[0].run()
        for number in 1..<max(1, count) {
            syncs.append(try server.sync(world[number]))
            _ = try await syncs[number].run()
        }
        for sync in syncs { _ = try await sync.run() }
        return (world, syncs)
    }

    /// Each device adds an item, and all get all of them.
    private func addEverywhere(_ title: String, _ world: CircleWorld, _ syncs: [ServerSync]) async throws {
        for (number, sync) in syncs.enumerated() {
            try await world[number].add(Item(title: "\(title) \(number)"))
            _ = try await sync.run()
        }
        for sync in syncs { _ = try await sync.run() }
    }

    @Test func `gives all devices the same items, and then does nothing`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        for round in 0..<2 {
            for number in 0..<3 {
                try await world[number].add(Item(title: "\(number)/\(round)"))
                let report = try await syncs[number].run()
                #expect(report.troubles.isEmpty && report.written == 1)
            }
        }
        for sync in syncs { _ = try await sync.run() }
        let titles = try await world.titles(0)
        #expect(titles.count == 7)
        for number in 0..<3 { #expect(try await world.titles(number) == titles) }
        let before = server.seen.count
        for sync in syncs {
            let report = try await sync.run()
            #expect(report.taken == 0 && report.written == 0 && report.missing.isEmpty && report.broughtBack == 0)
        }
        #expect(server.seen.count == before + 3)
        _ = try await world[2].verifyLog()
        try await world.close()
    }

    /// The server sees the circle of devices only with the last upload.
    @Test func `brings a vault that is larger than one upload`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(items: ServerLimits.entries + 100, server)
        let head = try await server.store.vault(world[0].id)?.head
        #expect(try await head == world[0].position())
        try await world[0].add(Item(title: "after"))
        for sync in syncs { _ = try await sync.run() }
        #expect(try await world.titles(1) == world.titles(0))
        #expect(try await world.titles(1).count == ServerLimits.entries + 101)
        try await world.close()
    }

    @Test func `goes on where it was after a restart, and a second device needs no invitation`() async throws {
        let server = SyncServerFixture()
        let (world, _) = try await begin(server)
        try await world.reopen(0)
        try await world[0].add(Item(title: "after"))
        let before = server.seen.count
        let report = try await server.sync(world[0]).run()
        #expect(report.written == 1 && report.taken == 0 && report.broughtBack == 0)
        // It looks only at the last entry that it knows.
        let numbers = server.seen[before...].compactMap { $0.split(separator: "after=").last?.prefix { $0 != "&" } }
        #expect(
            numbers.contains { $0 != "0" && Int($0) != nil }
                && !server.seen[before...].contains { $0.contains("after=0") }
        )
        let other = try await server.sync(world[1]).run()
        #expect(other.taken == 1)
        try await world.close()
    }

    @Test func `reads nothing a second time that was read before the vault was here`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 1, items: ServerLimits.entries + 100, server)
        try await world.join(by: 0)
        _ = try await syncs[0].run()
        let pages = try await server.connection(world[1]).allEntries()
        #expect(pages.count >= 2)
        try await world[0].add(Item(title: "meanwhile"))
        _ = try await syncs[0].run()
        let before = server.seen.count
        _ = try await server.sync(world[1], pages: pages).run()
        #expect(!server.seen[before...].contains { $0.contains("after=0") })
        #expect(try await world.titles(1) == world.titles(0))
        // It knows what it has read, also after a restart.
        try await world.reopen(1)
        let again = server.seen.count
        let report = try await server.sync(world[1]).run()
        #expect(report.taken == 0 && report.written == 0)
        #expect(!server.seen[again...].contains { $0.contains("after=0") })
        try await world.close()
    }

    @Test func `says that the server has more than a new device takes`() async throws {
        let server = SyncServerFixture()
        let (world, _) = try await begin(devices: 1, items: 3, server)
        var (few, enough) = (VaultLimits(), VaultLimits())
        (few.entries, enough.entries) = (3, 1_000)
        let connection = try server.connection(world[0])
        var refusal: ServerError?
        do { _ = try await connection.allEntries(within: few) } catch let error as ServerError { refusal = error }
        #expect(refusal == ServerError(.vaultTooLarge))
        #expect(try await !connection.allEntries(within: enough).isEmpty)
        try await world.close()
    }

    @Test(arguments: [false, true])
    func `reads pages again that do not fit`(isOfAnotherOrder: Bool) async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, items: ServerLimits.entries + 100, server)
        var pages = try await server.connection(world[1]).allEntries()
        if isOfAnotherOrder {
            let other = SyncServerFixture(seed: "other")
            _ = try await other.sync(world[0], invitation: other.invite()).run()
            server.use(other.store)
        } else {
            pages.removeFirst()
        }
        try await world[0].add(Item(title: "meanwhile"))
        _ = try await syncs[0].run()
        _ = try await server.sync(world[1], pages: pages).run()
        #expect(try await world.titles(1) == world.titles(0))
        try await world.close()
    }

    @Test func `says that the server does not have the vault`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 1)
        let sync = try server.sync(world[0])
        await #expect(throws: ServerError(.sessionRefused)) { try await sync.run() }
        let wrong = try server.sync(world[0], invitation: String(repeating: "A", count: 43))
        await #expect(throws: ServerError(.invitationNotValid)) { try await wrong.run() }
        try await world.close()
    }

    @Test func `carries a removal, and the removed device is told`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        try await world[0].removeDevices(
            [try await world.id(2)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        try await world[0].add(Item(title: "secret"))
        _ = try await syncs[0].run()
        _ = try await syncs[1].run()
        #expect(try await world.titles(1).contains("secret"))
        await #expect(throws: ServerError(.deviceRemoved)) { try await syncs[2].run() }
        #expect(try await !world.titles(2).contains("secret"))
        try await world.close()
    }

    @Test func `carries the answer to a removal that the server heard of alone`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        let (first, last) = try await (world.id(0), world.id(2))
        try await world[0].removeDevices([last], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        _ = try await syncs[0].run()
        // The other one has not heard of it, writes, and removes with the recovery key: that decides. It has a folder only.
        try await world[2].add(Item(title: "of the one that stays"))
        try await world[2].removeDevices(
            [first],
            VaultFixture.passphrase(),
            recoveryKey: world.recoveryKey,
            keepsSecretKey: true
        )
        try await world.sync(2)
        try await world.sync(1)
        #expect(try await world.members(1) == ["device 1", "device 2"])
        try await world[1].add(Item(title: "after"))
        let report = try await syncs[1].run()
        #expect(report.serverTroubles.isEmpty, "\(report)")
        _ = try await syncs[2].run()
        #expect(try await world.titles(2) == ["after", "before", "of the one that stays"])
        #expect(try await world.titles(1) == world.titles(2))
        try await world.close()
    }

    /// What others wrote goes to it too, if an operation on the circle names it.
    @Test func `brings a removal to a second server that knows nothing of the removed device`() async throws {
        let world = try await CircleWorld(devices: 1)
        let server = SyncServerFixture()
        let sync = try server.sync(world[0], invitation: try await server.invite())
        _ = try await sync.run()
        try await world.join(by: 0)
        try await world.sync(0)
        let removed = try await world.id(1)
        try await world[0].removeDevices([removed], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        let report = try await sync.run()
        #expect(report.serverTroubles.isEmpty && report.written == 2, "\(report)")
        try await world.close()
    }

    /// Whichever request fails, the next sync ends what was begun.
    @Test func `goes on after any request that fails`() async throws {
        let server = SyncServerFixture()
        let (world, _) = try await begin(server)
        let budget = Budget()
        for allowed in 0..<6 {
            try await world[0].add(Item(title: "\(allowed)"))
            try await world[1].add(Item(title: "other \(allowed)"))
            for isLate in [false, true] {
                budget.start(allowed)
                server.between { request, ask in
                    // A request can be lost on its way, or its answer.
                    if !isLate, !budget.take() { throw BoundedDownload.Failure.unreachable }
                    let answer = try await ask(request)
                    if isLate, !budget.take() { throw BoundedDownload.Failure.unreachable }
                    return answer
                }
                _ = try? await server.sync(world[0]).run()
                server.between(nil)
            }
            _ = try await server.sync(world[0]).run()
            _ = try await server.sync(world[1]).run()
            let report = try await server.sync(world[0]).run()
            #expect(!report.hasTwoOrders && report.broughtBack == 0)
            #expect(try await world.titles(0) == world.titles(1))
        }
        try await world.close()
    }

    @Test func `opens another session when the server has ended it`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(server)
        server.world.advance(by: 3_700)
        try await world[0].add(Item(title: "later"))
        #expect(try await syncs[0].run().written == 1)
        #expect(try await syncs[1].run().taken == 1)
        try await world.close()
    }

    // MARK: A server that lost entries

    @Test func `reads what came without its data again, until the data are there`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        for title in ["kept back", "not kept back"] { try await world[0].add(Item(title: title)) }
        _ = try await syncs[0].run()
        let whole = server.store
        let lacking = whole.copy()
        let vault = try #require(try await lacking.vault(world[0].id))
        _ = try await lacking.clear([vault.head - 1], of: vault, doneAt: nil)
        server.use(lacking)
        for _ in 0..<2 { #expect(try await syncs[1].run().taken == 0) }
        // More than what is read again at once.
        for number in 0..<70 { try await world[2].add(Item(title: "later \(number)")) }
        _ = try await syncs[2].run()
        #expect(try await syncs[1].run().troubles.contains { if case .withheld = $0 { true } else { false } })
        let record = try #require(try await world[0].records(after: 0).suffix(2).first)
        let blob = SyncBlob(entry: record.entry.hash, blob: try #require(record.blob))
        let head = try #require(try await lacking.vault(world[0].id)).head
        _ = try await lacking.append(SyncBatch(head: head, blobs: [blob]), to: world[0].id)
        _ = try await syncs[1].run()
        #expect(try await world[1].summaries().contains { $0.title == "kept back" })
        #expect(try await syncs[1].run().troubles.isEmpty)
        try await world.close()
    }

    /// The numbers do not show the loss: the device reads after the entry that the server has in place of its own.
    @Test func `reads everything again if the server lost an entry and has another in its place`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, server)
        let old = server.store.copy()
        try await world[0].add(Item(title: "lost"))
        _ = try await syncs[0].run()
        server.use(old)
        for title in ["one", "two"] { try await world[1].add(Item(title: title)) }
        _ = try await syncs[1].run()
        let report = try await syncs[0].run()
        #expect(report.taken == 2 && report.broughtBack == 1 && !report.hasTwoOrders)
        _ = try await syncs[1].run()
        for number in 0..<2 {
            let titles = try await world[number].summaries().map(\.title)
            #expect(titles.contains("lost") && titles.contains("one") && titles.contains("two"))
        }
        try await world.close()
    }

    /// After a restart, the device asks for what follows the last entry but one, which is the last one that the server has.
    @Test func `reads everything again after a restart if the server has one entry less`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, server)
        let old = server.store.copy()
        for title in ["lost", "lost too"] { try await world[0].add(Item(title: title)) }
        _ = try await syncs[0].run()
        server.use(old)
        try await world[1].add(Item(title: "one"))
        _ = try await syncs[1].run()
        let report = try await server.sync(world[0]).run()
        #expect(report.taken == 1 && report.broughtBack == 2 && !report.hasTwoOrders)
        try await world.close()
    }

    /// The device has read as far as the server goes, so only the broken connection shows that something happened.
    @Test func `looks again after waiting failed, and finds another entry in place of its own`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, server)
        let old = server.store.copy()
        try await world[0].add(Item(title: "lost"))
        _ = try await syncs[0].run()
        server.between { _, _ in throw BoundedDownload.Failure.unreachable }
        await #expect(throws: ServerError(.unreachable)) { try await syncs[0].waitForNews() }
        server.between(nil)
        server.use(old)
        try await world[1].add(Item(title: "one"))
        _ = try await syncs[1].run()
        let report = try await syncs[0].run()
        #expect(report.taken == 1 && report.broughtBack == 1 && !report.hasTwoOrders)
        try await world.close()
    }

    /// A request on a connection that was lost is sent again, and nothing else shows that the server is another one.
    ///
    /// Where it grew, what it has after the last number that is known is known too: another device brought it back.
    @Test(arguments: [false, true], [false, true])
    func `looks again after a connection was lost`(isWaiting: Bool, grew: Bool) async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        let old = server.store.copy()
        try await world[0].add(Item(title: "lost"))
        for number in [0, 2] { _ = try await syncs[number].run() }
        server.use(old)
        try await world[1].add(Item(title: "one"))
        _ = try await syncs[1].run()
        if grew { _ = try await server.sync(world[2]).run() }
        let budget = Budget()
        budget.start(1)
        server.between { request, next in
            if budget.take() { throw BoundedDownload.Failure.unreachable }
            var request = request
            request.url = request.url.replacing("wait=25", with: "wait=0")
            return try await next(request)
        }
        if isWaiting { try await syncs[0].waitForNews() }
        let report = try await syncs[0].run()
        #expect(report.taken == 1 && report.broughtBack == (grew ? 0 : 1) && !report.hasTwoOrders)
        try await world.close()
    }

    /// Where its own entries come after what the server lost, the numbers of both are the same again.
    @Test(arguments: [false, true])
    func `looks again if the connection is lost while it brings something`(isListening: Bool) async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, server)
        let old = server.store.copy()
        try await world[0].add(Item(title: "lost"))
        _ = try await syncs[0].run()
        let current = server.store
        server.use(old)
        try await world[1].add(Item(title: "one"))
        _ = try await syncs[1].run()
        server.use(current)
        let listener = isListening ? try await listen(syncs[0], server) : nil
        let budget = Budget()
        budget.start(1)
        server.between { request, next in
            if request.method.rawValue == "POST", request.url.hasSuffix("/entries"), budget.take() {
                server.use(old)
                throw BoundedDownload.Failure.unreachable
            }
            return try await next(request)
        }
        try await world[0].add(Item(title: "mine"))
        _ = try await syncs[0].run()
        _ = try await syncs[1].run()
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "lost", "mine", "one"], "\(number)")
        }
        listener?.cancel()
        _ = try? await listener?.value
        try await world.close()
    }

    /// What the server refuses is offered once in a run.
    @Test func `offers what is refused once, also while it listens`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 2, server)
        let listener = try await listen(syncs[0], server)
        try await world[0].add(Item(title: "one"))
        let entry = try #require(try await world[0].records(after: world[0].lastOwnSequence() - 1).first).entry.hash
        server.between { request, next in
            guard request.method.rawValue == "POST", request.url.hasSuffix("/entries") else {
                return try await next(request)
            }
            let body = #"{"code":"entry_refused","entry":"\#(Hex.encode(entry))"}"#
            return .init(status: 422, fields: ["content-type": "application/problem+json"], body: Array(body.utf8))
        }
        let before = server.seen.count
        await #expect(throws: ServerError(.entryRefused)) { try await syncs[0].run() }
        #expect(server.seen[before...].count { $0.hasPrefix("POST /entries") } == 1)
        listener.cancel()
        _ = try? await listener.value
        try await world.close()
    }

    /// Begins to wait for news.
    private func listen(_ sync: ServerSync, _ server: SyncServerFixture) async throws -> Task<Void, any Error> {
        let before = server.seen.count { $0.contains("wait=25") }
        let task = Task { try await sync.waitForNews() }
        while server.seen.count(where: { $0.contains("wait=25") }) == before { await Task.yield() }
        return task
    }

    @Test func `opens a session although the answer to the first attempt was lost`() async throws {
        let server = SyncServerFixture()
        let (world, _) = try await begin(devices: 2, server)
        let budget = Budget()
        budget.start(1)
        server.between { request, next in
            let answer = try await next(request)
            if request.url.hasSuffix("/session"), budget.take() { throw BoundedDownload.Failure.unreachable }
            return answer
        }
        try await world[0].add(Item(title: "one"))
        #expect(try await server.sync(world[0]).run().written == 1)
        try await world.close()
    }

    @Test(arguments: [false, true])
    func `brings back what the server has lost, also of others`(grew: Bool) async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        let old = server.store.copy()
        try await addEverywhere("lost", world, syncs)
        server.use(old)
        if grew {
            // Another device brings more than there was before, so the numbers do not show the loss.
            for number in 0..<5 { try await world[1].add(Item(title: "new \(number)")) }
            await #expect(throws: Never.self) { try await syncs[1].run() }
        }
        let report = try await server.sync(world[0]).run()
        #expect(grew || report.broughtBack == 3)
        #expect(!report.hasTwoOrders)
        for sync in syncs { _ = try await sync.run() }
        for sync in syncs {
            let report = try await sync.run()
            #expect(report.broughtBack == 0 && !report.hasTwoOrders)
        }
        let head = try await server.store.vault(world[0].id)?.head
        let count = try await world[0].position()
        #expect(head == count)
        #expect(try await world.titles(2) == world.titles(0))
        try await world.close()
    }

    /// Everything that the server lost is in the past of the operation, and the server asks for it.
    @Test func `brings back what the server loses while an operation on the circle is brought`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(devices: 3, server)
        let old = server.store.copy()
        try await addEverywhere("lost", world, syncs)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        let budget = Budget()
        budget.start(1)
        server.between { request, next in
            if request.method.rawValue == "POST", request.url.hasSuffix("/entries"), budget.take() { server.use(old) }
            return try await next(request)
        }
        _ = try await syncs[0].run()
        let (head, count) = try await (server.store.vault(world[0].id)?.head, world[0].position())
        #expect(head == count)
        try await world.close()
    }

    @Test func `finds out that two devices were shown two orders`() async throws {
        // Two servers with one name for their order are one server that lies.
        let (one, other) = (SyncServerFixture(seed: "x"), SyncServerFixture(seed: "x"))
        let world = try await CircleWorld(devices: 3)
        try await world.meet()
        let first = try one.sync(world[0], invitation: try await one.invite())
        _ = try await first.run()
        let second = try other.sync(world[1], invitation: try await other.invite())
        _ = try await second.run()
        try await world[0].add(Item(title: "zero"))
        try await world[1].add(Item(title: "one"))
        _ = try await first.run()
        _ = try await second.run()
        try await world[1].add(Item(title: "two"))
        _ = try await second.run()
        // The third device carries everything from one to the other.
        try await world.meet()
        let third = try one.sync(world[2])
        _ = try await third.run()
        let report = try await first.run()
        // The proof names the entry of the second device, and stays when the vault is opened again.
        let proof = try #require(report.twoOrders)
        #expect(try await proof.device == world.id(1))
        #expect(proof.text.hasPrefix("entry \(proof.sequence) of the device \(proof.device) names another change"))
        #expect(try await one.sync(world[0]).run().twoOrders == proof)
        #expect(try await world.titles(0).contains("two"))
        try await world.close()
    }

    @Test func `waits for news, which its own changes are not`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(server)
        let waiting = try await listen(syncs[0], server)
        try await world[1].add(Item(title: "news"))
        _ = try await syncs[1].run()
        try await waiting.value
        #expect(try await syncs[0].run().taken == 1)
        try await world.close()
    }

    @Test func `costs one request to bring a change, and none to take what was heard`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(server)
        let (first, second) = (try await listen(syncs[0], server), try await listen(syncs[1], server))
        for number in 0..<2 {
            try await world[0].add(Item(title: "news \(number)"))
            let before = server.seen.count
            #expect(try await syncs[0].run().written == 1)
            #expect(server.seen[before...].filter { !$0.contains("wait=25") } == ["POST /entries"])
            if number == 0 {
                try await second.value
                let heard = server.seen.count
                #expect(try await syncs[1].run().taken == 1)
                #expect(server.seen[heard...].filter { !$0.contains("wait=25") }.isEmpty)
            }
        }
        // Without an open question to the server, it is asked as before.
        try await world[1].add(Item(title: "answer"))
        let report = try await syncs[1].run()
        #expect(report.taken == 1 && report.written == 1)
        try await first.value
        #expect(try await syncs[0].run().taken == 1)
        #expect(try await world.titles(1) == world.titles(0))
        try await world.close()
    }

    /// What was heard may come when something else was done meanwhile.
    @Test func `asks again if what was heard does not follow what it knows`() async throws {
        let server = SyncServerFixture()
        let (world, syncs) = try await begin(server)
        let waiting = try await listen(syncs[0], server)
        try await world[1].add(Item(title: "one"))
        _ = try await syncs[1].run()
        try await waiting.value
        // Another server with another order takes the place of the first one.
        let other = SyncServerFixture(seed: "other")
        _ = try await other.sync(world[1], invitation: other.invite()).run()
        server.use(other.store)
        try await world[0].add(Item(title: "two"))
        _ = try await syncs[0].run()
        _ = try await other.sync(world[1]).run()
        #expect(try await world.titles(1) == ["before", "one", "two"])
        #expect(try await world.titles(0) == world.titles(1))
        try await world.close()
    }
}

/// Lets a number of requests pass.
private final class Budget: Sendable {
    private let left = Mutex(0)

    func start(_ budget: Int) { left.withLock { $0 = budget } }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
