import Synchronization
import Testing
import WardDownload
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// Over a slow line, the first sync with a server can take longer than a vault is open.
@Suite struct `A first sync that is interrupted` {
    private static let items = 300

    /// A sync over a way on which everything takes three seconds.
    private func slow(_ vault: Vault, _ server: SyncServerFixture, invitation: String? = nil) throws -> ServerSync {
        let start = ContinuousClock.now
        let count = Mutex(0)
        return ServerSync(
            vault,
            with: try server.connection(vault),
            beginning: ServerBeginning(invitation: invitation),
            sleep: { _ in },
            now: {
                count.withLock { count in
                    count += 3
                    return start.advanced(by: .seconds(count))
                }
            }
        )
    }

    /// The connection is lost after so many requests of a kind.
    private func lose(_ server: SyncServerFixture, after limit: Int, _ method: String) {
        let count = Mutex(0)
        server.between { request, ask in
            let isLost = count.withLock { count in
                guard request.method.rawValue == method, request.url.contains("/entries") else { return count > limit }
                count += 1
                return count > limit
            }
            guard !isLost else { throw BoundedDownload.Failure.unreachable }
            return try await ask(request)
        }
    }

    /// After a restart, a sync ends what was begun.
    ///
    /// - Returns: The number of entries that were there, and the number after which it read first.
    private func goOn(_ number: Int, _ world: CircleWorld, _ server: SyncServerFixture) async throws -> (Int64, Int64) {
        try await world.reopen(number)
        server.between(nil)
        let (there, before) = (try #require(try await server.store.vault(world[0].id)?.head), server.seen.count)
        let report = try await server.sync(world[number]).run()
        #expect(report.serverTroubles.isEmpty && report.broughtBack == 0 && !report.hasTwoOrders)
        let first = server.seen[before...].compactMap { $0.split(separator: "after=").dropFirst().first }.first
        #expect(try await world[number].deviceRecord("sync-shown-0") == nil)
        #expect(try await server.store.vault(world[0].id)?.head == world[number].position())
        return (there, try #require(first.flatMap { Int64($0.prefix { $0 != "&" }) }))
    }

    @Test func `goes on where it read last`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 2, items: Self.items)
        try await world.meet()
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        lose(server, after: 3, "GET")
        await #expect(throws: ServerError.self) { _ = try await slow(world[1], server).run() }
        let (_, first) = try await goOn(1, world, server)
        #expect(first > 20)
        try await world.close()
    }

    @Test func `reads nothing that it brought`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 1, items: Self.items)
        let sync = try slow(world[0], server, invitation: try await server.invite())
        lose(server, after: 2, "POST")
        await #expect(throws: ServerError.self) { _ = try await sync.run() }
        let (there, first) = try await goOn(0, world, server)
        #expect(there > 50 && first == there - 1)
        try await world.close()
    }
}
