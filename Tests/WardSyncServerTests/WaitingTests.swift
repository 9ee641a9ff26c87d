import HTTPTypes
import Hummingbird
import ServiceLifecycle
import Synchronization
import Testing
import WardLog
import WardSyncServer
import WardTesting

@Suite struct `Waiting for news` {
    @Test func `in a request ends with the next entry`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        async let answer = server.get(id, "/entries?after=1&wait=25", by: token)
        await server.clock.sleepers(1)
        let edit = try vault[0].edit()
        #expect(try await server.upload([edit], to: vault.id, by: token).status == .ok)
        let found = try await answer
        #expect(found.entries.map(\.entry.hash) == [edit.entry.hash] && found.tag == "\"2\"")
        #expect(server.server.waiting == 0)
    }

    @Test func `in a request ends after its time`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        async let answer = server.get(id, "/entries?after=1&wait=10", by: token)
        await server.clock.sleepers(1)
        server.clock.advance(by: .seconds(10))
        let found = try await answer
        #expect(found.status == .ok && found.entries.isEmpty && found.tag == "\"1\"")
    }

    @Test func `is not needed if there is something already`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        #expect(try await server.get(id, "/entries?after=0&wait=25", by: token).entries.count == 1)
    }

    @Test func `ends when the vault is deleted, or the session`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let id = vault.id
        let other = try await server.open(vault[1], in: vault.id)
        async let answer = server.get(id, "/entries?after=3&wait=25", by: other)
        await server.clock.sleepers(1)
        let removal = try vault.remove([vault[1]], by: vault[0])
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: 3).status == .ok)
        #expect(try await answer.code == "session_required")
    }

    @Test func `is limited for each device`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        let count = SyncLimits.waitingOfDevice
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<count {
                group.addTask { try await server.get(id, "/entries?after=1&wait=25", by: token) }
            }
            await server.clock.sleepers(count)
            let answer = try await server.get(id, "/entries?after=1&wait=25", by: token)
            #expect(answer.code == "too_many_requests")
            server.clock.advance(by: .seconds(25))
            for try await answer in group { #expect(answer.status == .ok) }
        }
    }

    /// Without a circle a vault can have a thousand devices.
    @Test func `is limited for each vault, so that it leaves room to others`() async throws {
        var limits = SyncLimits.standard
        #expect(limits.listenersOfVault == 320)
        limits.listenersOfVault = 1
        let server = SyncFixture(limits: limits)
        let (vault, other) = (try TestVault(devices: 2), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        let (second, third) = (try await server.open(vault[1], in: id), try await server.begin(other))
        async let first = server.get(id, "/entries?after=2&wait=25", by: token)
        await server.clock.sleepers(1)
        let refused = try await server.get(id, "/events", by: second)
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "25")
        let events = try await EventStream(server, other.id, by: third)
        #expect(events.response.status == .ok)
        // The next stream of the device takes the place of this one.
        let next = try await EventStream(server, other.id, by: third)
        #expect(next.response.status == .ok)
        try await events.task.value
        next.task.cancel()
        server.clock.advance(by: .seconds(25))
        #expect(try await first.status == .ok)
    }

    @Test func `is limited for the whole server`() async throws {
        var limits = SyncLimits.standard
        limits.listeners = 1
        let server = SyncFixture(limits: limits)
        let (vault, other) = (try TestVault(), try TestVault())
        let token = try await server.begin(vault)
        let id = vault.id
        let second = try await server.begin(other)
        async let first = server.get(id, "/entries?after=1&wait=25", by: token)
        await server.clock.sleepers(1)
        #expect(try await server.get(other.id, "/events", by: second).code == "busy")
        server.clock.advance(by: .seconds(25))
        #expect(try await first.status == .ok)
    }
}

/// A stream of events that a test reads.
extension SyncFixture {
    /// Lets time pass for the upkeep.
    fileprivate func pass(seconds: Int) async {
        for _ in 0..<seconds {
            await clock.sleepers(2)
            clock.advance(by: .seconds(1))
        }
    }
}

private struct EventStream {
    let response: Response
    let parts: AsyncStream<String>
    let task: Task<Void, any Error>

    init(_ server: SyncFixture, _ vault: VaultID, by token: String) async throws {
        let path = SyncFixture.path(vault, "/events")
        let response = try await server.respond(.get, path, [.authorization: "Bearer \(token)"])
        let (parts, continuation) = AsyncStream.makeStream(of: String.self)
        self.parts = parts
        self.response = response
        task = Task {
            defer { continuation.finish() }
            try await response.body.write(Collector { continuation.yield(String(decoding: $0, as: UTF8.self)) })
        }
    }
}

@Suite struct `Events` {
    @Test func `tell the number of the last entry, and that the server is there`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let events = try await EventStream(server, vault.id, by: token)
        #expect(events.response.headers[.contentType] == "text/event-stream")
        #expect(events.response.headers[.cacheControl] == "no-store")
        var parts = events.parts.makeAsyncIterator()
        #expect(await parts.next() == "event: head\ndata: 1\n\n")
        let upkeep = Task { try await server.server.upkeep.run() }
        defer { upkeep.cancel() }
        await server.pass(seconds: 25)
        #expect(await parts.next() == ":\n\n")
        _ = try await server.upload([try vault[0].edit()], to: vault.id, by: token)
        #expect(await parts.next() == "event: head\ndata: 2\n\n")
        // An upload that brings nothing new is no news.
        _ = try await server.upload([vault.genesis], to: vault.id, by: token)
        await server.pass(seconds: 25)
        #expect(await parts.next() == ":\n\n")
        // The session ends, and with it the stream.
        server.world.advance(by: 3_600)
        await server.pass(seconds: 25)
        #expect(await parts.next() == nil)
        try await events.task.value
        #expect(server.server.waiting == 0)
    }

    @Test func `of a device are one stream: the next one ends it`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let other = try await server.open(vault[1], in: vault.id)
        let (first, second) = (
            try await EventStream(server, vault.id, by: token), try await EventStream(server, vault.id, by: other)
        )
        let third = try await EventStream(server, vault.id, by: token)
        try await first.task.value
        #expect(server.server.waiting == 2)
        second.task.cancel()
        third.task.cancel()
    }

    @Test func `end when the device is removed, and when the service stops`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let other = try await server.open(vault[1], in: vault.id)
        let (own, removed) = (
            try await EventStream(server, vault.id, by: token), try await EventStream(server, vault.id, by: other)
        )
        let removal = try vault.remove([vault[1]], by: vault[0])
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: 3).status == .ok)
        try await removed.task.value
        let upkeep = Task { try await server.server.upkeep.run() }
        upkeep.cancel()
        try await upkeep.value
        try await own.task.value
        #expect(try await server.get(vault.id, "/events", by: token).code == "busy")
    }

    /// The connection was reset, so nobody asks for the body.
    @Test func `leave their place also if the body of the answer never begins`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let path = SyncFixture.path(vault.id, "/events")
        var response: Response? = try await server.respond(.get, path, [.authorization: "Bearer \(token)"])
        let status = response?.status
        #expect(status == .ok && server.server.waiting == 1)
        response = nil
        #expect(server.server.waiting == 0)
    }

    @Test func `need a session`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        #expect(try await server.get(vault.id, "/events", by: "x").code == "session_required")
    }
}
