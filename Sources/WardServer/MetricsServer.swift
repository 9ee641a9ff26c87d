import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Serves `/metrics` at an address of its own, because people who use the service must not see its numbers.
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
        let responder = router.buildResponder()
        try await SideServer(responder: responder, address: address, connections: 16, logger: logger).run()
    }
}
