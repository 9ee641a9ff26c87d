import Synchronization
import Testing
import WardDownload
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// It takes nothing for a time, and says when to come back.
@Suite struct `A server that is busy` {
    private let server = SyncServerFixture()

    /// A device that joined late and brings more than one upload. At first, the server does not take the second one.
    private func begin(retryAfter: Int) async throws -> (world: CircleWorld, sync: ServerSync, waits: Waits) {
        let world = try await CircleWorld.met(2, items: ServerLimits.entries + 100)
        let (uploads, waits) = (Counter(), Waits())
        server.between { request, ask in
            guard request.method == .post, request.url.hasSuffix("/entries"), uploads.next() == 1 else {
                return try await ask(request)
            }
            return Self.busy(retryAfter: retryAfter)
        }
        let beginning = ServerBeginning(invitation: try await server.invite())
        let sync = ServerSync(world[1], with: try server.connection(world[1]), beginning: beginning, sleep: waits.sleep)
        return (world, sync, waits)
    }

    private static func busy(retryAfter: Int) -> SyncServerFixture.Answer {
        SyncServerFixture.Answer(
            status: 429,
            fields: ["content-type": "application/problem+json", "retry-after": "\(retryAfter)"],
            body: Array("{\"code\":\"too_many_requests\"}".utf8)
        )
    }

    /// Otherwise the person would have to ask for another invitation.
    @Test func `gets a large vault in one run, after the time that it asked for`() async throws {
        let (world, sync, waits) = try await begin(retryAfter: 7)
        _ = try await sync.run()
        #expect(waits.all == [.seconds(7)])
        #expect(try await server.store.vault(world[1].id)?.head == world[1].position())
        try await world.close()
    }

    @Test func `for long gets the rest in a later run, with the same invitation`() async throws {
        let (world, sync, waits) = try await begin(retryAfter: 3_000)
        await #expect(throws: ServerError(.tooManyRequests)) { try await sync.run() }
        #expect(waits.all.isEmpty)
        _ = try await sync.run()
        #expect(try await server.store.vault(world[1].id)?.head == world[1].position())
        try await world.close()
    }

    /// A run that ended there would bring nothing either, and a device that joins would need another code.
    @Test func `is read in the same run, after the time that it asked for`() async throws {
        let world = try await CircleWorld.met(2)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        try await world[1].add(Item(title: "of the second"))
        let (readings, waits) = (Counter(), Waits())
        server.between { request, ask in
            guard request.method == .get, request.url.contains("/entries?"), readings.next() <= 2 else {
                return try await ask(request)
            }
            return Self.busy(retryAfter: 2)
        }
        let sync = ServerSync(world[1], with: try server.connection(world[1]), sleep: waits.sleep)
        #expect(try await sync.run().written == 1)
        #expect(waits.all == [.seconds(2), .seconds(2)])
        let again = Counter()
        server.between { request, ask in
            guard request.method == .get, request.url.contains("/entries?"), again.next() == 1 else {
                return try await ask(request)
            }
            return Self.busy(retryAfter: 5)
        }
        let pages = try await server.connection(world[1]).allEntries(sleep: waits.sleep)
        let count = pages.reduce(0) { $0 + $1.entries.count }
        #expect(try await Int64(count) == server.store.vault(world[1].id)?.head)
        #expect(waits.all.last == .seconds(5))
        try await world.close()
    }
}

/// The times that a sync waited; no time passes.
private final class Waits: Sendable {
    private let times = Mutex<[Duration]>([])

    var all: [Duration] { times.withLock { $0 } }

    @Sendable func sleep(_ time: Duration) { times.withLock { $0.append(time) } }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    /// The next number, from 1.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
