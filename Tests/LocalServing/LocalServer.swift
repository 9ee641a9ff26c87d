package import NIOCore
package import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// An HTTP server on this machine that answers as a test says.
package final class LocalServer: Sendable {
    /// What it answers.
    package struct Answer: Sendable {
        package var status: HTTPResponseStatus
        package var headers: [(String, String)]
        package var body: [UInt8]
        /// Sends the body in pieces of this size with a pause after each; 0 sends it at once.
        package var piece: Int
        package var pause: TimeAmount
        /// Never answers.
        package var isSilent: Bool

        package init(
            status: HTTPResponseStatus = .ok,
            headers: [(String, String)] = [("content-type", "application/json")],
            body: [UInt8] = [],
            piece: Int = 0,
            pause: TimeAmount = .milliseconds(50),
            isSilent: Bool = false
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.piece = piece
            self.pause = pause
            self.isSilent = isSilent
        }
    }

    /// What was asked for.
    package struct Request: Sendable {
        package let uri: String
        package let headers: [String: String]
    }

    private let channel: any Channel
    private let log: Log

    private init(channel: any Channel, log: Log) {
        self.channel = channel
        self.log = log
    }

    package var base: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
    /// What was asked for, in order.
    package var seen: [Request] { log.requests.withLock { $0 } }

    /// Runs `body` with a server that answers each path.
    package static func with<Value: Sendable>(
        _ answer: @escaping @Sendable (String) -> Answer,
        _ body: (LocalServer) async throws -> Value
    ) async throws -> Value {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(answer: answer, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let server = LocalServer(channel: channel, log: log)
        do {
            let value = try await body(server)
            try await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let answer: @Sendable (String) -> Answer
        private let log: Log

        init(answer: @escaping @Sendable (String) -> Answer, log: Log) {
            (self.answer, self.log) = (answer, log)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            var headers: [String: String] = [:]
            for header in head.headers { headers[header.name.lowercased()] = header.value }
            log.requests.withLock { $0.append(Request(uri: head.uri, headers: headers)) }
            let answer = answer(head.uri)
            guard !answer.isSilent else { return }
            var response = HTTPResponseHead(version: .http1_1, status: answer.status)
            for (name, value) in answer.headers { response.headers.add(name: name, value: value) }
            context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
            send(answer.body[...], answer, NIOLoopBound(context, eventLoop: context.eventLoop))
        }

        private func send(_ rest: ArraySlice<UInt8>, _ answer: Answer, _ bound: NIOLoopBound<ChannelHandlerContext>) {
            let context = bound.value
            guard context.channel.isActive else { return }
            let piece = answer.piece > 0 ? rest.prefix(answer.piece) : rest
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: piece)))), promise: nil)
            let left = rest.dropFirst(piece.count)
            guard !left.isEmpty else {
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                return
            }
            let next = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: answer.pause) { next.value.send(left, answer, bound) }
        }
    }
}
