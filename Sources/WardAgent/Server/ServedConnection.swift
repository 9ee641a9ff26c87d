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
    /// The time limit for the first request of the connection.
    let patience: Duration
    /// How time passes.
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// Reads and answers requests until the connection closes.
    ///
    /// Running requests are then cancelled.
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
                // This also works while no further request is read: a prompt is withdrawn if its program has gone.
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
            AgentError(
                .busy,
                "The first request, hello, must come within \(patience.components.seconds) seconds. Connect again."
            )
        )
    }

    /// Tells a program why it is refused, and closes the connection.
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

/// Cancels a deadline when the first line arrives, even if reading the line takes longer.
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

/// The number of bytes in answers that the program has not read yet.
private final class UnreadAnswers: Sendable {
    private let bytes = Mutex(0)

    /// Adds bytes, and returns the number before.
    func add(_ count: Int) -> Int {
        bytes.withLock { bytes in
            defer { bytes += count }
            return bytes
        }
    }

    func remove(_ count: Int) { bytes.withLock { $0 -= count } }
}
