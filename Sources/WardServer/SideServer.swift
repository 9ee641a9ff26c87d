package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// Serves one responder at an address of its own, beside the service.
package struct SideServer<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    let address: ListenAddress
    /// The largest number of connections.
    let connections: Int
    let limits: ConnectionLimits
    let logger: Logger
    private let onListening: @Sendable (ListenAddress) async -> Void

    /// A few connections, within the limits of the service.
    init(responder: Responder, address: ListenAddress, connections: Int, logger: Logger) {
        self.responder = responder
        self.address = address
        self.connections = connections
        self.logger = logger
        limits = .standard
        onListening = { _ in }
    }

    /// A server with limits of its own.
    ///
    /// - Parameters:
    ///   - responder: What answers.
    ///   - address: Where.
    ///   - limits: The limits; there are fewer connections if the process may open fewer files.
    ///   - logger: Logs what concerns connections.
    ///   - onListening: Called once, with the address that the server listens on.
    /// - Throws: ``ServerStartError`` if the process may open too few files.
    package init(
        responder: Responder,
        address: ListenAddress,
        limits: ConnectionLimits,
        logger: Logger,
        onListening: @escaping @Sendable (ListenAddress) async -> Void
    ) throws {
        self.responder = responder
        self.address = address
        self.limits = limits
        self.logger = logger
        self.onListening = onListening
        // The service's own connections come first.
        let files = OpenFiles.raise() - ConnectionLimits.standard.connections
        guard files >= OpenFiles.reserve + 32 else {
            let least = ConnectionLimits.standard.connections + OpenFiles.reserve + 32
            throw ServerStartError(
                "this process may open too few files and sockets for a second address: allow at least \(least) with "
                    + "ulimit -n, or with LimitNOFILE= in a systemd unit"
            )
        }
        connections = try OpenFiles.connections(limits.connections, under: files)
    }

    /// The same as a Hummingbird application, for tests without a socket.
    func application() -> Application<Responder> { Application(responder: responder, logger: logger) }

    package func run() async throws {
        let server = ListeningServer(
            place: .address(address),
            childChannel: GuardedHTTP1Channel(
                serving: responder,
                limits: limits,
                shares: ConnectionShares(connections),
                logger: logger
            ),
            availableConnections: MaximumAvailableConnections(connections, logger: logger),
            onRunning: { [address, onListening] channel in
                await onListening(address.listening(on: channel.localAddress))
            },
            logger: logger
        )
        do {
            try await server.run()
        } catch let error as IOError {
            throw ServerStartError(error, address, option: nil)
        }
    }
}
