import Synchronization
import Testing
import WardDownload
import WardVault

@testable import WardSync

/// A server that never comes to an end does not keep a device from telling the person.
@Suite struct `A server without an end` {
    private func begin() async throws -> (server: SyncServerFixture, world: CircleWorld) {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 2)
        try await world.meet()
        let first = try server.sync(world[0], invitation: try await server.invite())
        let second = try server.sync(world[1])
        for sync in [first, second, first, second] { _ = try await sync.run() }
        return (server, world)
    }

    private static func isReading(_ request: SyncServerFixture.Request) -> Bool {
        request.method == .get && request.url.contains("/entries")
    }

    @Test func `that has another order for each page is not read again and again`() async throws {
        let (server, world) = try await begin()
        let count = Mutex<UInt8>(0)
        server.between { request, ask in
            var answer = try await ask(request)
            guard Self.isReading(request), let first = ServerTampering.entries(of: answer)?.first else { return answer }
            // One entry a page, so that there is always a next one.
            ServerTampering.show([first], upTo: first.number + 1_000, in: &answer)
            answer.isCut = true
            let number = count.withLock { count in
                count &+= 1
                return count
            }
            answer.fields["ward-order"] = String(repeating: number.isMultiple(of: 2) ? "a" : "b", count: 32)
            return answer
        }
        let sync = try server.sync(world[0])
        await #expect(throws: ServerError(.numberAhead)) { try await sync.run() }
        let asked = count.withLock { $0 }
        #expect((2...8).contains(asked), "\(asked)")
        server.between(nil)
        // Afterwards it is a server like any other.
        _ = try await sync.run()
        try await world.close()
    }

    @Test func `that has another order for each answer is read again, and the report says so`() async throws {
        let (server, world) = try await begin()
        let sync = try server.sync(world[0])
        let first = try await sync.run()
        #expect(!first.hasBegunAnew)
        let count = Mutex(0)
        server.between { request, ask in
            guard Self.isReading(request) else { return try await ask(request) }
            // As if the time to wait were over.
            let url = request.url.replacing("&wait=25", with: "")
            var answer = try await ask(.init(request.method, url, fields: request.fields, body: request.body))
            let number = count.withLock { count in
                count += 1
                return count
            }
            answer.fields["ward-order"] = String(repeating: ["a", "b", "c"][number % 3], count: 32)
            return answer
        }
        for _ in 0..<3 {
            try await sync.waitForNews()
            let report = try await sync.run()
            #expect(report.hasBegunAnew && report.broughtBack == 0)
        }
        server.between(nil)
        try await world.close()
    }

    @Test func `that always has one more page is read for an hour, and what was read stays`() async throws {
        let (server, world) = try await begin()
        for number in 0..<20 { try await world[1].add(Item(title: "item \(number)")) }
        _ = try await server.sync(world[1]).run()
        let clock = Mutex(ContinuousClock.now)
        let sync = ServerSync(
            world[0],
            with: try server.connection(world[0]),
            sleep: { _ in },
            now: { clock.withLock { $0 } }
        )
        server.between { request, ask in
            var answer = try await ask(request)
            guard Self.isReading(request), let first = ServerTampering.entries(of: answer)?.first else { return answer }
            clock.withLock { $0 += .seconds(600) }
            // One entry in ten minutes, and it is never the last one.
            ServerTampering.show([first], upTo: first.number + 1_000, in: &answer)
            answer.isCut = true
            return answer
        }
        let before = try await world.titles(0).count
        await #expect(throws: ServerError(.tooSlow)) { try await sync.run() }
        let taken = try await world.titles(0).count - before
        #expect((3...6).contains(taken), "\(taken)")
        await #expect(throws: ServerError(.tooSlow)) { try await sync.run() }
        #expect(try await world.titles(0).count > before + taken)
        server.between(nil)
        _ = try await sync.run()
        #expect(try await world.titles(0) == world.titles(1))
        try await world.close()
    }

    /// The first upload cannot be made smaller, so a slow connection gets the time that it needs for at least 4 KiB a second.
    @Test func `that is far away has time for a long first upload, and for others two minutes`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: 1)
        for number in 0..<40 {
            let notes = SecretText(String(repeating: "long ", count: 2_000))
            try await world[0].add(Item(title: "item \(number)", notes: notes))
        }
        let uploads = Mutex<[(bytes: Int, limit: Duration)]>([])
        guard let address = ServerAddress("https://\(SyncServerFixture.host)") else { return }
        let vault = world[0]
        let connection = ServerConnection(address, vault: vault.id, signer: SessionSigner(vault)) { request, limits in
            if request.method == .post, request.url.hasSuffix("/vaults") || request.url.hasSuffix("/entries") {
                uploads.withLock { $0.append((request.body?.count ?? 0, limits.timeout)) }
            }
            return try await server.answer(request, limits)
        }
        let beginning = ServerBeginning(invitation: try await server.invite())
        let sync = ServerSync(vault, with: connection, beginning: beginning, sleep: { _ in })
        _ = try await sync.run()
        try await world[0].add(Item(title: "later"))
        _ = try await sync.run()
        let seen = uploads.withLock { $0 }
        let first = try #require(seen.first)
        #expect(first.bytes > 400_000 && first.limit == .seconds(120 + first.bytes / 4_096))
        #expect(seen.count == 2 && seen.last?.limit == .seconds(120))
        try await world.close()
    }
}
