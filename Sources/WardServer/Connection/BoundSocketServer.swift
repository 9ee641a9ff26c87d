import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Serves HTTP at a socket that listens already, because systemd opened it.
///
/// Hummingbird's own server opens its socket itself. The rest is the same: connections beyond the limit wait in the system's
/// queue, and at a graceful shutdown the requests that run are finished. systemd keeps the socket with the connections that the
/// service has not accepted, for the next start.
struct BoundSocketServer<ChildChannel: ServerChildChannel>: Service {
    let socket: CInt
    let childChannel: ChildChannel
    let availableConnections: MaximumAvailableConnections
    /// Called once, when connections are accepted.
    let onRunning: @Sendable (any Channel) async -> Void
    let logger: Logger

    func run() async throws {
        let (connections, accepted) = AsyncStream.makeStream(of: ChildChannel.Value.self)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { [socket, availableConnections] channel in
                Self.widenQueue(of: socket)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: availableConnections))
                    try pipeline.addHandler(AcceptedConnections { accepted.finish() })
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [childChannel, logger] channel in
                childChannel.setup(channel: channel, logger: logger).map { _ = accepted.yield($0) }
            }
            .withBoundSocket(socket)
            .get()
        await withTaskCancellationOrGracefulShutdownHandler {
            await onRunning(server)
            // Ends when the last connection has ended.
            await withDiscardingTaskGroup { group in
                for await connection in connections {
                    group.addTask { await childChannel.handle(value: connection, logger: logger) }
                }
            }
        } onCancelOrGracefulShutdown: {
            server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    /// Lets as many connections wait as the system allows.
    ///
    /// NIO has just set the length of the socket's queue to 128. A proxy's further connections would be refused while the service is
    /// started again, because the queue keeps this length when the service has ended.
    private static func widenQueue(of socket: CInt) {
        _ = listen(socket, CInt.max)
    }
}

/// The connections of one socket, which are told when the service stops.
///
/// The service first stops accepting. Then it waits until the accepted connections are set up, and only then closes its copy of the
/// socket: NIO would close connections that are still being set up, and `ServerQuiescingHelper` of swift-nio-extras does not wait.
private final class AcceptedConnections: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var isStopping = false
    private let onEnd: () -> Void

    /// - Parameter onEnd: Called when the service has stopped and the last connection has ended.
    init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let id = ObjectIdentifier(connection)
        connections[id] = connection
        connection.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.connections[id] = nil
            self.endIfDone()
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if !isStopping { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        guard !isStopping else { return }
        isStopping = true
        closeWhenSettled(context)
    }

    /// Closes the socket when no connection is being set up.
    private func closeWhenSettled(_ context: ChannelHandlerContext) {
        guard connections.values.allSatisfy(\.isActive) else {
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.closeWhenSettled(context) }
            return
        }
        context.close(promise: nil)
        for connection in connections.values {
            connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        endIfDone()
    }

    /// The socket is closed also if it fails.
    func channelInactive(context: ChannelHandlerContext) {
        isStopping = true
        endIfDone()
        context.fireChannelInactive()
    }

    private func endIfDone() {
        if isStopping, connections.isEmpty { onEnd() }
    }
}

@available(*, unavailable)
extension AcceptedConnections: Sendable {}
