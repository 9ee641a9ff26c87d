import NIOCore
import NIOPosix

/// A connection that sends exactly what a test says, and hears everything until the other side ends it.
enum RawConnection {
    /// Connects for as long as the body takes.
    static func with<Value: Sendable>(
        port: Int,
        _ body: @escaping @Sendable (inout Conversation) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var conversation = Conversation(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&conversation)
        }
    }

    struct Conversation {
        var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

        /// Sends and does not mind that nobody listens any more.
        func sendIfOpen(_ text: String) async -> Bool { (try? await send(text)) != nil }

        /// Everything until the other side closes.
        mutating func remainder() async -> String {
            var heard = ""
            while let part = try? await inbound.next(isolation: #isolation) { heard += String(buffer: part) }
            return heard
        }

        /// What comes until it holds a text.
        mutating func hear(until end: String) async throws -> String {
            var heard = ""
            while !heard.contains(end), let part = try await inbound.next(isolation: #isolation) {
                heard += String(buffer: part)
            }
            return heard
        }
    }
}
