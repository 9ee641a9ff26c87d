internal import Dispatch
internal import Foundation
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
public import WardAgentClient
internal import WardVault

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
    private let limits = ConnectionLimits()

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

    /// Serves until the agent is told to stop, its socket is gone, or the task is cancelled.
    ///
    /// - Throws: `AgentError` with `failed` when it cannot listen, or when another agent is there already.
    public func run() async throws {
        let claim = try claimVault()
        defer { withExtendedLifetime(claim) {} }
        try paths.prepare()
        let lock = try LockedFile(paths.lock)
        defer { withExtendedLifetime(lock) {} }
        guard lock != nil else {
            throw AgentError(
                .failed,
                "The agent of another vault listens at \(paths.socket). End it, or set XDG_RUNTIME_DIR to another folder."
            )
        }
        let listener = try await listen()
        let socket = SocketFile(path: paths.socket)
        if let claim { AgentRecord(socket: paths.socket)?.write(to: claim) }
        logger.info("listening", metadata: ["socket": "\(paths.socket)"])
        whenReady()
        let lockNow: @Sendable () -> Void = { [agent] in
            // logind waits for the thread that says so.
            let done = DispatchSemaphore(value: 0)
            Task {
                await agent.lockIfOpen()
                done.signal()
            }
            _ = done.wait(timeout: .now() + 4)
        }
        SleepWatch(logger: logger, lock: lockNow).start()
        ScreenSaverWatch(logger: logger, lock: lockNow).start()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await agent.waitUntilStopped() }
            group.addTask { await agent.watchIdleness() }
            group.addTask { await accept(listener) }
            group.addTask {
                await socket.waitUntilUnreachable()
                guard !Task.isCancelled else { return }
                logger.notice("the socket is gone: locking and ending", metadata: ["socket": "\(socket.path)"])
                await agent.stop()
            }
            group.addTask {
                await gracefulShutdownOrCancellation()
                await agent.stop()
            }
            _ = await group.next()
            group.cancelAll()
        }
        if activation == nil { socket.remove() }
        await agent.close()
    }

    /// Says beside the vault that this agent serves it.
    ///
    /// - Returns: What holds the claim; `nil` where nothing can be written beside the vault.
    /// - Throws: `AgentError` with `failed` when another agent serves it.
    private func claimVault() throws(AgentError) -> LockedFile? {
        let folder = agent.configuration.location.stateDirectory
        do {
            if let claim = try AgentRecord.claim(in: folder) { return claim }
        } catch {
            logger.warning("commands without XDG_RUNTIME_DIR will not find this agent", metadata: ["error": "\(error)"])
            return nil
        }
        let other = AgentRecord.living(in: folder).map { " (process \($0.pid))" } ?? ""
        throw AgentError(.failed, "An agent for this vault is running already\(other). End it: ward agent --stop")
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
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.autoRead, value: false)
        // Bound here and not by NIO, which would remove the file at the end, whosever it is by then.
        let descriptor = try activation?.descriptor ?? SocketFile.bind(paths.socket)
        return try await bootstrap.bind(descriptor, childChannelInitializer: Self.connection)
    }

    @Sendable private static func connection(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeSucceededFuture(channel)
    }

    private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async {
        let connections = Connections(limits)
        try? await listener.executeThenClose { inbound in
            await withDiscardingTaskGroup { group in
                do {
                    // One after the other, so that no more than one waits here for its answer from the kernel.
                    for try await connection in inbound {
                        guard let desk = await admit(connection, to: connections) else { continue }
                        group.addTask { await serve(desk, connections) }
                    }
                } catch {
                    logger.error("the listener failed", metadata: ["error": "\(error)"])
                }
                group.cancelAll()
            }
        }
    }

    /// Lets a program in, or tells it why not.
    private func admit(_ connection: Connection, to connections: Connections) async -> Admitted? {
        do {
            let peer = try await Peer(connection)
            let place = try connections.enter(
                process: peer.process?.identity,
                executable: peer.snapshot?.executable,
                // A program that cannot be looked at is nobody's.
                isManager: (try? await agent.configuration.apps.isManager(peer)) ?? false
            )
            let desk = ConnectionDesk(
                connection: connection,
                session: AgentSession(agent: agent, peer: peer, logger: logger),
                isManager: place.isManager,
                limits: limits,
                patience: agent.configuration.helloPatience,
                logger: logger
            )
            return Admitted(desk: desk, place: place)
        } catch let error as AgentError where error.code == .busy {
            logger.debug("a connection is refused", metadata: ["reason": "\(error.message)"])
            ConnectionDesk.refuse(connection, error)
        } catch {
            logger.debug("a connection is refused", metadata: ["error": "\(error)"])
            connection.close(promise: nil)
        }
        return nil
    }

    private func serve(_ admitted: Admitted, _ connections: Connections) async {
        defer { connections.leave(admitted.place) }
        do {
            try await admitted.desk.serve()
        } catch {
            logger.debug("a connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// A connection that was let in.
private struct Admitted: Sendable {
    let desk: ConnectionDesk
    let place: Connections.Place
}
