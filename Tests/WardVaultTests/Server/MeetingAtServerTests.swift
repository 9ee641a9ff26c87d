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
