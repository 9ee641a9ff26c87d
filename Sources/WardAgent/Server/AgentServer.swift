internal import Dispatch
internal import Foundation
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
public import WardAgentClient

/// Listens on the agent's socket and answers.
///
/// A connection may have several requests in work; when it ends, what is in work for it ends too, and a prompt that nobody
/// waits for any more is withdrawn.
public struct AgentServer: Service {
    private let agent: Agent
    private let paths: AgentPaths
    private let logger: Logger
    private let activation: SocketActivation?
    private let whenReady: @Sendable () -> Void

    /// Puts a server together.
    ///
    /// - Parameters:
    ///   - agent: What answers.
    ///   - paths: Where to listen.
    ///   - activation: The socket that systemd opened, where it did.
    ///   - logger: Where to write; never a secret.
    ///   - whenReady: Called once, when connections are taken.
    public init(
        agent: Agent,
        paths: AgentPaths,
        activation: SocketActivation? = nil,
        logger: Logger,
        whenReady: @escaping @Sendable () -> Void = {}
    ) {
        self.agent = agent
        self.paths = paths
        self.activation = activation
        self.logger = logger
        self.whenReady = whenReady
    }

    /// A connection that nobody reads from yet; one that is never served may be let go as it is, which a
    /// `NIOAsyncChannel` must not.
    private typealias Connection = any Channel

    /// Serves until the agent is told to stop, or the task is cancelled.
    ///
    /// - Throws: `AgentError` with `failed` when it cannot listen, or when another agent is there already.
    public func run() async throws {
        var lock: AgentLock?
        if activation == nil {
            try paths.prepare()
            lock = try AgentLock(paths)
            guard lock != nil else {
                throw AgentError(.failed, "an agent is running already: ward agent --stop ends it")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        let listener = try await listen()
        logger.info("listening", metadata: ["socket": "\(paths.socket)"])
        whenReady()
        SleepWatch(logger: logger) { [agent] in
            // logind waits for the thread that says so.
            let done = DispatchSemaphore(value: 0)
            Task {
                await agent.lockIfOpen()
                done.signal()
            }
            _ = done.wait(timeout: .now() + 4)
        }.start()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await agent.waitUntilStopped() }
            group.addTask { await agent.watchIdleness() }
            group.addTask { await accept(listener) }
            group.addTask {
                await gracefulShutdownOrCancellation()
                await agent.stop()
            }
            _ = await group.next()
            group.cancelAll()
        }
        if activation == nil { unsafe unlink(paths.socket) }
        await agent.close()
    }

    private func gracefulShutdownOrCancellation() async {
        // Ends when the service group asks for it, or with the task.
        await withGracefulShutdownHandler {
            while !Task.isCancelled, !Task.isShuttingDownGracefully { try? await Task.sleep(for: .milliseconds(200)) }
        } onGracefulShutdown: {
        }
    }

    private func listen() async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.autoRead, value: false)
        if let activation {
            return try await bootstrap.bind(activation.descriptor, childChannelInitializer: Self.connection)
        }
        let mask = umask(0o177)
        defer { umask(mask) }
        do {
            // The lock says that no other agent is there: whatever lies at the path is a dead one's.
            unsafe unlink(paths.socket)
            return try await bootstrap.bind(
                unixDomainSocketPath: paths.socket,
                childChannelInitializer: Self.connection
            )
        } catch {
            throw AgentError(.failed, "nothing can listen at \(paths.socket): is the path too long?")
        }
    }

    @Sendable private static func connection(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineFrames()))
            return channel
        }
    }

    private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async {
        try? await listener.executeThenClose { inbound in
            await withDiscardingTaskGroup { group in
                do {
                    for try await connection in inbound { group.addTask { await serve(connection) } }
                } catch {
                    logger.error("the listener failed", metadata: ["error": "\(error)"])
                }
                group.cancelAll()
            }
        }
    }

    private func serve(_ connection: Connection) async {
        do {
            let lines = try await connection.eventLoop.submit {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: connection)
            }.get()
            try await lines.executeThenClose { inbound, outbound in
                let peer = try await Peer(connection)
                try await connection.setOption(.autoRead, value: true).get()
                let session = AgentSession(agent: agent, peer: peer, logger: logger)
                try await withThrowingDiscardingTaskGroup { group in
                    for try await line in inbound {
                        let bytes = Array(line.readableBytesView)
                        group.addTask {
                            var answer = await session.answer(to: bytes)
                            answer.append(0x0a)
                            try? await outbound.write(ByteBuffer(bytes: answer))
                        }
                    }
                    group.cancelAll()
                }
            }
        } catch {
            logger.debug("a connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// The socket that systemd opened for the agent.
///
/// [sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html): the first descriptor is 3.
public struct SocketActivation: Sendable {
    /// The listening socket.
    public let descriptor: CInt

    /// Reads `LISTEN_PID` and `LISTEN_FDS`; `nil` when they are not meant for this process.
    public init?(environment given: [String: String]? = nil) {
        let environment = given ?? ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(), environment["LISTEN_FDS"] == "1" else {
            return nil
        }
        descriptor = 3
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unsafe unsetenv("LISTEN_PID")
        unsafe unsetenv("LISTEN_FDS")
        unsafe unsetenv("LISTEN_FDNAMES")
    }
}
