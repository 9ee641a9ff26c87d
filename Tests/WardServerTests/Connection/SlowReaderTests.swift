import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Testing
import WardServer

@Suite struct `A client that reads slowly` {
    /// Answers without an end, as long as the connection takes them.
    private struct EndlessAnswer: HTTPResponder {
        typealias Context = BasicRequestContext

        /// What is told that an answer was ended.
        let end: AsyncStream<Bool>.Continuation

        func respond(to request: Request, context: Context) async throws -> Response {
            Response(
                status: .ok,
                body: ResponseBody { [end] writer in
                    defer { end.yield(true) }
                    let part = ByteBuffer(repeating: 0, count: 200_000)
                    while true { try await writer.write(part) }
                }
            )
        }
    }

    /// Only the rate ends the answer here: by its deadline it could go on for an hour.
    @Test(.timeLimit(.minutes(2))) func `is cut off in the middle of an answer`() async throws {
        var limits = ConnectionLimits()
        (limits.answerDeadline, limits.answerPatience) = (.seconds(3_600), .milliseconds(300))
        limits.answerRate = 1_000
        let (ports, announce) = AsyncStream.makeStream(of: Int.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let server = try SideServer(
            responder: EndlessAnswer(end: end),
            address: try ListenAddress("127.0.0.1:0"),
            limits: limits,
            logger: .silent
        ) { address in
            announce.yield(address.port)
            announce.finish()
        }
        let group = ServiceGroup(services: [server], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            let isEnded = try await RawConnection.with(port: port) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return await ends.first { $0 } ?? false
            }
            #expect(isEnded)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
