import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import WardAccounts
import WardActivation
import WardWebAuthn

extension WardServer {
    /// Serves at the sockets that systemd opened.
    func runAtPassedSockets() async throws {
        let sockets = try Self.passedSockets()
        let routes = try await routes(limits, at: nil)
        let date = HTTPDate()
        let channel = GuardedHTTP1Channel(limits: routes.limits, shares: routes.shares) { request, writer, channel in
            var logger = routes.logger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
            let context = WardRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response = try await routes.edge.respond(to: request, context: context)
            response.headers[.date] = date.text(at: effects.now())
            try await writer.write(response: response.head, body: response.body)
        }
        let servers = sockets.enumerated().map { index, socket in
            BoundSocketServer(
                socket: socket,
                childChannel: channel,
                // Each socket counts its own connections.
                availableConnections: MaximumAvailableConnections(
                    max(1, routes.connections / sockets.count),
                    logger: logger
                ),
                onRunning: { channel in await listens(at: channel.localAddress, isFirst: index == 0) },
                logger: logger
            )
        }
        try await ServiceGroup(services: routes.services + servers, logger: logger).run()
    }

    private func listens(at address: SocketAddress?, isFirst: Bool) async {
        let address = ListenAddress(passed: address)
        logger.info("listening", metadata: ["address": "\(address)"])
        // That no proxies are set was said before.
        if !configuration.trustedProxies.isEmpty,
            case (_, let message)? = try? configuration.proxyWarning(listeningOn: address)
        {
            logger.notice("\(message)")
        }
        if isFirst { await onListening(address) }
    }

    private static func passedSockets() throws -> [CInt] {
        do {
            if let passed = try PassedSockets() { return passed.descriptors }
        } catch {
            throw ServerStartError(
                "systemd passes a wrong socket to the service: \(error.reason). Check the unit ward-server.socket"
            )
        }
        throw ServerStartError(
            "systemd passes no socket, and the service must listen at one (--listen systemd): start the unit ward-server.socket"
        )
    }
}
