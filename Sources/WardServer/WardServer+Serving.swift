import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import WardActivation

extension WardServer {
    /// Serves at the address of the configuration, or at the sockets that systemd opened.
    func serve() async throws {
        let requested = configuration.listen
        let places = try requested.isFromSystemd ? Self.passedSockets() : [.address(requested)]
        let routes = try await routes(limits, at: requested.isFromSystemd ? nil : requested)
        let channel = GuardedHTTP1Channel(
            serving: routes.edge,
            limits: routes.limits,
            shares: routes.shares,
            logger: routes.logger
        )
        let servers = places.enumerated().map { index, place in
            ListeningServer(
                place: place,
                childChannel: channel,
                // Each socket counts its own connections.
                availableConnections: places.count == 1
                    ? routes.availableConnections
                    : MaximumAvailableConnections(max(1, routes.connections / places.count), logger: logger),
                onRunning: { channel in await listens(at: place, channel.localAddress, isFirst: index == 0) },
                logger: logger
            )
        }
        do {
            try await ServiceGroup(services: routes.services + servers, logger: logger).run()
        } catch let error as IOError {
            throw ServerStartError(error, requested)
        }
    }

    private func listens(at place: ListeningServer.Place, _ local: SocketAddress?, isFirst: Bool) async {
        let address =
            switch place {
            case .address(let requested): requested.listening(on: local)
            case .passed: ListenAddress(passed: local)
            }
        logger.info("listening", metadata: ["address": "\(address)"])
        // For a requested address it was said before, and so was that no proxies are set.
        if case .passed = place, !configuration.trustedProxies.isEmpty,
            case (_, let message)? = try? configuration.proxyWarning(listeningOn: address)
        {
            logger.notice("\(message)")
        }
        if isFirst { await onListening(address) }
    }

    private static func passedSockets() throws -> [ListeningServer.Place] {
        do {
            if let passed = try PassedSockets() { return passed.descriptors.map { .passed($0) } }
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
