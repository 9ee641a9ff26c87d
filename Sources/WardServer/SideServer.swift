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

    /// The Hummingbird application.
    func application() -> Application<Responder> {
        let shares = ConnectionShares(connections)
        return Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                GuardedHTTP1Channel(limits: .standard, shares: shares, responder: responder)
            },
            configuration: ApplicationConfiguration(
                address: address.bindAddress,
                availableConnectionsDelegate: MaximumAvailableConnections(connections, logger: logger)
            ),
            onServerRunning: { [address] channel in _ = address.listening(on: channel.localAddress) },
            logger: logger
        )
    }

    func run() async throws {
        do {
            try await application().run()
        } catch let error as IOError {
            throw ServerStartError(error, address)
        }
    }
}
