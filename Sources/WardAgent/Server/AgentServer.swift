internal import Dispatch
internal import Foundation
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
public import WardAgentClient
internal import WardVault

/// Listens on the agent's sockets and answers requests.
///
/// A connection can have several running requests. When it closes, its requests are cancelled and their prompts are withdrawn.
public struct AgentServer: Service {
    private let session: VaultSession
    private let syncer: Syncer
    private let stopping: StopSignal
    private let reception: Reception
    private let desktop: DesktopPortal
    /// The time limit for the first request of a connection.
    private let patience: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let syncStep: Duration?
    private let vault: String
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
    ///   - activation: The sockets that systemd opened, where it did.
    ///   - logger: Where to write; never a secret.
    ///   - whenReady: Called once, when connections are taken.
    public init(
        agent: Agent,
        paths: AgentPaths,
        activation: SocketActivation? = nil,
        logger: Logger,
        whenReady: @escaping @Sendable () -> Void = {}
    ) {
        session = agent.session
        syncer = agent.syncer
        stopping = agent.stopping
        desktop = agent.desktop
        patience = agent.configuration.helloPatience
        sleep = agent.configuration.sleep
        syncStep = agent.configuration.syncStep
        vault = agent.configuration.location.database
        reception = Reception(
            methods: agent.methods,
            policy: agent.configuration.apps,
            person: agent.person,
            vault: vault,
            processID: agent.processID
        )
        self.paths = paths
        self.activation = activation
        self.logger = logger
        self.whenReady = whenReady
    }

    private typealias Connection = OpenDoor.Connection

    /// Serves requests until the agent is stopped, one of its sockets is removed, or the task is cancelled.
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
        try activation?.check(against: paths.servesApps ? [paths.socket, paths.appSocket] : [paths.socket])
        var doors = [try await open(.manager, at: paths.socket)]
        if paths.servesApps { doors.append(try await open(.apps, at: paths.appSocket)) }
        if let claim { AgentRecord(socket: paths.socket)?.write(to: claim) }
        let record = claim.map { _ in PlacedFile(path: AgentRecord.path(beside: vault)) }
        for door in doors { logger.info("listening", metadata: ["socket": "\(door.file.path)"]) }
        whenReady()
        let lockNow: @Sendable () -> Void = { [session] in
            // logind waits for the thread that receives its signal.
            let done = DispatchSemaphore(value: 0)
            Task {
                await session.lockIfOpen()
                done.signal()
            }
            _ = done.wait(timeout: .now() + 4)
        }
        SleepWatch(logger: logger, lock: lockNow).start()
        ScreenSaverWatch(logger: logger, lock: lockNow).start()
        // Both sockets of the agent share the same limits.
        let connections = Connections(limits)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await waitUntilStopped() }
            group.addTask { await session.watch() }
            if let syncStep { group.addTask { await syncer.watch(every: syncStep) } }
            if paths.servesApps { group.addTask { await desktop.serve() } }
            if let record { group.addTask { await endWhenGone(record, "the vault was moved away") } }
            for door in doors {
                group.addTask { await accept(door, connections) }
                group.addTask { await endWhenGone(door.file, "a socket is gone") }
            }
            group.addTask {
                await gracefulShutdownOrCancellation()
                stopping.signal()
            }
            _ = await group.next()
            group.cancelAll()
        }
        for door in doors where !door.isKept { door.file.remove() }
        await session.close()
    }

    /// Writes the file beside the vault which says that this agent serves the vault.
    ///
    /// - Returns: What holds the claim; `nil` where nothing can be written beside the vault.
    /// - Throws: `AgentError` with `failed` when another agent serves it.
    private func claimVault() throws(AgentError) -> LockedFile? {
        do {
            if let claim = try AgentRecord.claim(beside: vault) { return claim }
        } catch {
            logger.warning(
                "commands with another XDG_RUNTIME_DIR will not find this agent",
                metadata: ["error": "\(error)"]
            )
            return nil
        }
        let other = AgentRecord.living(beside: vault).map { " (process \($0.pid))" } ?? ""
        throw AgentError(.failed, "An agent for this vault is running already\(other). End it: ward agent --stop")
    }

    /// Ends the agent when one of its sockets or its file is removed.
    private func endWhenGone(_ file: PlacedFile, _ reason: String) async {
        await file.waitUntilUnreachable(sleep)
        guard !Task.isCancelled else { return }
        logger.notice("locking and ending", metadata: ["reason": "\(reason)", "file": "\(file.path)"])
        stopping.signal()
    }

    /// Returns when a program asks the agent to end.
    private func waitUntilStopped() async {
        await stopping.wait()
        // The answer to that program is sent first.
        try? await Task.sleep(for: .milliseconds(50))
    }

    private func gracefulShutdownOrCancellation() async {
        // Ends when the service group requests it, or when the task is cancelled.
        await withGracefulShutdownHandler {
            while !Task.isCancelled, !Task.isShuttingDownGracefully { try? await Task.sleep(for: .milliseconds(200)) }
        } onGracefulShutdown: {
        }
    }

    private func open(_ door: Door, at path: String) async throws -> OpenDoor {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.autoRead, value: false)
        let kept = activation?.sockets[path]
        // The socket is bound here and not by NIO. NIO would remove the file at the end, even if it belongs to another program
        // by then.
        let listener = try await bootstrap.bind(
            kept ?? PlacedFile.bind(path),
            childChannelInitializer: Self.connection
        )
        return OpenDoor(door: door, file: PlacedFile(path: path), listener: listener, isKept: kept != nil)
    }

    @Sendable private static func connection(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeSucceededFuture(channel)
    }

    private func accept(_ open: OpenDoor, _ connections: Connections) async {
        try? await open.listener.executeThenClose { inbound in
            await withDiscardingTaskGroup { group in
                do {
                    // Connections are handled one after the other, so that at most one waits for the kernel's answer.
                    for try await connection in inbound {
                        guard let admitted = await admit(connection, at: open.door, to: connections) else { continue }
                        group.addTask { await serve(admitted, connections) }
                    }
                } catch {
                    logger.error("the listener failed", metadata: ["error": "\(error)"])
                }
                group.cancelAll()
            }
        }
    }

    /// Accepts a connection, or tells the program why it is refused.
    private func admit(_ connection: Connection, at door: Door, to connections: Connections) async -> Admitted? {
        do {
            let peer = try await Peer(connection)
            let place = try connections.enter(
                process: peer.process?.identity,
                executable: peer.snapshot?.executable,
                isManager: await door.isManagers(peer, reception.policy)
            )
            let served = ServedConnection(
                connection: connection,
                session: AgentSession(reception: reception, peer: peer, door: door, logger: logger),
                isManager: place.isManager,
                limits: limits,
                patience: patience,
                sleep: sleep,
                logger: logger
            )
            return Admitted(served: served, place: place)
        } catch let error as AgentError where error.code == .busy {
            logger.debug("a connection is refused", metadata: ["reason": "\(error.message)"])
            ServedConnection.refuse(connection, error)
        } catch {
            logger.debug("a connection is refused", metadata: ["error": "\(error)"])
            connection.close(promise: nil)
        }
        return nil
    }

    private func serve(_ admitted: Admitted, _ connections: Connections) async {
        defer { connections.leave(admitted.place) }
        do {
            try await admitted.served.serve()
        } catch {
            logger.debug("a connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// A connection that was accepted.
private struct Admitted: Sendable {
    let served: ServedConnection
    let place: Connections.Place
}
