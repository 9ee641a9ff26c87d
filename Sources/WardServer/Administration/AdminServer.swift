package import Hummingbird
package import Logging
import ServiceLifecycle
package import WardAccounts

/// Serves the admin API at an address of its own, which the service's people do not reach.
package struct AdminServer<Store: AccountStore>: Service {
    private let api: AdminAPI<Store>
    private let address: ListenAddress
    private let logger: Logger

    package init(_ api: AdminAPI<Store>, at address: ListenAddress, logger: Logger) {
        self.api = api
        self.address = address
        self.logger = logger
    }

    /// The router with all routes of the admin API.
    package func router() throws -> WardRouter {
        let router = WardRouter(context: WardRequestContext.self, options: .autoGenerateHeadEndpoints)
        api.add(to: router)
        try OpenAPIDescription("openapi-admin").add(to: router, at: "/api/v1/admin/openapi.json")
        return router
    }

    /// The Hummingbird application.
    package func application() throws -> Application<Edge> { try server().application() }

    package func run() async throws { try await server().run() }

    private func server() throws -> SideServer<Edge> {
        let edge = Edge(
            try router(),
            headers: SecurityHeaders(isSecure: false),
            cors: try CORSPolicy([])
        )
        return SideServer(responder: edge, address: address, connections: 64, logger: logger)
    }
}
