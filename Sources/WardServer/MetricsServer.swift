import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Serves `/metrics` at an address of its own: numbers about the service are nothing for the people who use it.
struct MetricsServer: Service {
    let metrics: ServiceMetrics
    let address: ListenAddress
    let logger: Logger

    func run() async throws {
        let router = Router()
        router.get("/metrics") { [metrics] _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text))
            )
        }
        let connections = 16
        let shares = ConnectionShares(connections)
        let application = Application(
            responder: router.buildResponder(),
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
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServerStartError(error, address)
        }
    }
}
