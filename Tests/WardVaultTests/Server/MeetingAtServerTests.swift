import Synchronization
import Testing
import WardCBOR
import WardDownload
import WardSync

@Suite struct `A new device in a meeting` {
    typealias Answer = BoundedExchange.Answer

    private static func answer(_ body: CBORValue) -> Answer {
        Answer(status: 200, fields: ["content-type": "application/cbor"], body: body.encoded())
    }

    /// The second time, it would be another device that uses the code.
    @Test func `comes once, even if the answer is lost`() async throws {
        let count = Mutex(0)
        let server = MeetingServer(try #require(ServerAddress("https://sync.example.com"))) { _, _ in
            count.withLock { $0 += 1 }
            throw BoundedDownload.Failure.unreachable
        }
        await #expect(throws: ServerError(.unreachable)) { _ = try await server.join(417) }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `asks for a message again if the answer is lost`() async throws {
        let count = Mutex(0)
        let server = MeetingServer(try #require(ServerAddress("https://sync.example.com"))) { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1:
                return Self.answer([1: .text(String(repeating: "A", count: 43)), 2: 300, 3: .bytes([1]), 4: "host"])
            case 2: throw BoundedDownload.Failure.unreachable
            default: return Self.answer([1: .bytes([2]), 2: 299, 3: 0])
            }
        }
        let place = try await server.join(417).place
        #expect(try await server.read(2, at: place, wait: 0).message == [2])
        #expect(count.withLock { $0 } == 3)
    }
}

@Suite struct `A member that makes codes` {
    @Test func `keeps the session of its sync, however many codes it makes`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(1, items: 1)
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let own = try server.connection(world[0])
        _ = try await own.entries(after: 0)
        let before = await own.reconnections
        for _ in 0..<5 {
            let meeting = MeetingServer(try server.connection(world[0]))
            let place = try await meeting.begin([1, 2, 3])
            // The place needs no session.
            #expect(try await meeting.read(1, at: place, wait: 0).message == nil)
        }
        _ = try await own.entries(after: 0)
        #expect(await own.reconnections == before)
        try await world.close()
    }
}
