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

/// Serves HTTP at an address, or at a socket that systemd opened.
///
/// It takes the place of Hummingbird's own server, which opens its socket itself, and traps if it stops at the moment in which a
/// connection comes. The rest is the same: connections beyond the limit wait in the system's queue, and at a graceful shutdown the
/// requests that run are finished. systemd keeps its socket with the connections that the service has not accepted, for the next start.
struct ListeningServer: Service {
    enum Place: Sendable {
        case address(ListenAddress)
        /// The descriptor of a socket that listens already.
        case passed(CInt)
    }

    let place: Place
    let childChannel: GuardedHTTP1Channel
    let availableConnections: MaximumAvailableConnections
    /// Called once, when connections are accepted.
    let onRunning: @Sendable (any Channel) async -> Void
    let logger: Logger

    func run() async throws {
        let (connections, accepted) = AsyncStream.makeStream(of: HTTP1Channel.Value.self)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: Self.longestQueue)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [place, availableConnections] channel in
                if case .passed(let socket) = place { _ = listen(socket, Self.longestQueue) }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: availableConnections))
                    try pipeline.addHandler(AcceptedConnections { accepted.finish() })
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [childChannel, logger] channel in
                childChannel.setup(channel: channel, logger: logger).map { connection in
                    // NIO traps if nobody handles a connection.
                    if case .terminated = accepted.yield(connection) {
                        Task { await childChannel.handle(value: connection, logger: logger) }
                    }
                }
            }
        let server = try await start(bootstrap)
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

    /// As many connections as the system allows wait to be accepted.
    ///
    /// NIO sets the length of a passed socket's queue to 128. A proxy's further connections would be refused while the service is
    /// started again, because the queue keeps this length when the service has ended.
    private static let longestQueue = CInt.max

    private func start(_ bootstrap: ServerBootstrap) async throws -> any Channel {
        switch place {
        case .passed(let socket): return try await bootstrap.withBoundSocket(socket).get()
        case .address(let address):
            guard let path = address.unixPath else {
                return try await bootstrap.bind(host: address.host, port: address.port).get()
            }
            return try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
        }
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
