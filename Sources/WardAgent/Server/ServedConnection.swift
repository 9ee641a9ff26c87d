internal import Logging
internal import NIOCore
internal import Synchronization
internal import WardAgentClient

/// Serves one connection, within its limits.
struct ServedConnection: Sendable {
    let connection: any Channel
    let session: AgentSession
    let isManager: Bool
    let limits: ConnectionLimits
    /// How long the program may be connected before it says something.
    let patience: Duration
    /// How time passes.
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// Reads and answers until the connection ends; what is running for it then ends too.
    func serve() async throws {
        let deadline = Task {
            try await sleep(patience)
            try Task.checkCancellation()
            sendAwaySilent()
        }
        defer { deadline.cancel() }
        let lines = try await framed(deadline)
        try await lines.executeThenClose { inbound, outbound in
            try await connection.setOption(.autoRead, value: true).get()
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer {
                    group.cancelAll()
                    connection.close(promise: nil)
                }
                // Also while no further request is read: a prompt that nobody waits for is withdrawn.
                group.addTask { try? await connection.closeFuture.get() }
                group.addTask { try await answer(inbound, outbound) }
                try await group.next()
            }
        }
    }

    private func framed(_ deadline: Task<Void, any Error>) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await connection.eventLoop.submit {
            let frames = LineFrames(maximumLength: limits.messageLength(isManager: isManager))
            try connection.pipeline.syncOperations.addHandler(ByteToMessageHandler(frames))
            try connection.pipeline.syncOperations.addHandler(FirstLine(deadline))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: connection,
                configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2))
            )
        }.get()
    }

    private func sendAwaySilent() {
        logger.debug("a connection said no hello")
        Self.refuse(
            connection,
            AgentError(.busy, "A connection says hello within \(patience.components.seconds) seconds. Connect again.")
        )
    }

    /// Tells a program why it is not served, and closes the connection.
    static func refuse(_ connection: any Channel, _ error: AgentError) {
        var line = (try? Envelope.encode(Envelope.Refusal(id: nil, error))) ?? []
        line.append(0x0a)
        connection.writeAndFlush(ByteBuffer(bytes: line)).whenComplete { _ in connection.close(promise: nil) }
    }

    private func answer(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        let unread = UnreadAnswers()
        let mostBytes = limits.bytesInWork(isManager: isManager)
        try await withThrowingTaskGroup(of: Int.self) { group in
            var (requests, bytes) = (0, 0)
            for try await line in inbound {
                let size = line.readableBytes
                while requests >= limits.requests || (requests > 0 && bytes + size > mostBytes) {
                    bytes -= try await group.next() ?? 0
                    requests -= 1
                }
                requests += 1
                bytes += size
                let request = Array(line.readableBytesView)
                group.addTask {
                    var answer = await session.answer(to: request)
                    answer.append(0x0a)
                    let before = unread.add(answer.count)
                    defer { unread.remove(answer.count) }
                    if !isManager, before > limits.unread {
                        logger.info("a connection is closed: its program does not read")
                        connection.close(promise: nil)
                        return size
                    }
                    try? await outbound.write(ByteBuffer(bytes: answer))
                    return size
                }
            }
            group.cancelAll()
        }
    }
}

/// Calls a deadline off when the first line comes, however long it then takes to read the line.
private final class FirstLine: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let deadline: Task<Void, any Error>

    init(_ deadline: Task<Void, any Error>) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadline.cancel()
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

/// Bytes of answers that wait until their program reads.
private final class UnreadAnswers: Sendable {
    private let bytes = Mutex(0)

    /// Adds some, and answers how many there were before.
    func add(_ count: Int) -> Int {
        bytes.withLock { bytes in
            defer { bytes += count }
            return bytes
        }
    }

    func remove(_ count: Int) { bytes.withLock { $0 -= count } }
}
