import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Serves one responder at an address of its own, beside the service and within the same limits.
struct SideServer<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    let address: ListenAddress
    /// The largest number of connections.
    let connections: Int
    let logger: Logger

    /// The same as a Hummingbird application, for tests without a socket.
    func application() -> Application<Responder> { Application(responder: responder, logger: logger) }

    func run() async throws {
        let server = ListeningServer(
            place: .address(address),
            childChannel: GuardedHTTP1Channel(
                serving: responder,
                limits: .standard,
                shares: ConnectionShares(connections),
                logger: logger
            ),
            availableConnections: MaximumAvailableConnections(connections, logger: logger),
            onRunning: { [address] channel in _ = address.listening(on: channel.localAddress) },
            logger: logger
        )
        do {
            try await server.run()
        } catch let error as IOError {
            throw ServerStartError(error, address)
        }
    }
}
