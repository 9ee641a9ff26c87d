public import Hummingbird
public import HummingbirdCore
import Logging
public import ServiceLifecycle
public import WardAccounts

/// The API and the pages of the service, for a Hummingbird application of your own.
///
/// ```swift
/// let ward = try await WardServer(configuration: configuration, store: store, logger: logger).routes()
/// let router = Router(context: AppContext.self)
/// ward.mount(on: router)
/// router.get("notes") { request, _ -> Response in
///     guard let session = try await ward.session(of: request) else {
///         return .redirect(to: ward.signInAddress(returningTo: "/notes"), type: .found)
///     }
///     return page(of: session.accountID)
/// }
/// let app = Application(
///     router: router,
///     server: ward.httpServer,
///     configuration: ApplicationConfiguration(
///         address: .hostname("127.0.0.1", port: 8080),
///         availableConnectionsDelegate: ward.availableConnections
///     ),
///     services: ward.services,
///     logger: logger
/// )
/// try await app.runService()
/// ```
///
/// The application must run ``services``: they check passwords, send mail and webhooks, and delete what has expired. ``WardServer`` runs
/// the same parts.
public struct WardRoutes<Store: AccountStore>: Sendable {
    /// What runs beside the routes.
    ///
    /// Give all of them to the application. They end with it, and cannot run again: make new routes for another run.
    public let services: [any Service]

    /// The limit on open connections, for the configuration of the application.
    ///
    /// It is the one that ``httpServer`` counts with.
    public let availableConnections: MaximumAvailableConnections

    let edge: Edge
    let deployment: Deployment<Store>
    let logger: Logger
    let shares: ConnectionShares
    let limits: ConnectionLimits
    let connections: Int

    init(
        _ deployment: Deployment<Store>,
        edge: Edge,
        services: [any Service],
        connections: Int,
        limits: ConnectionLimits,
        metrics: ServiceMetrics?,
        logger: Logger
    ) {
        self.deployment = deployment
        self.edge = edge
        self.services = services
        self.limits = limits
        self.connections = connections
        self.logger = logger
        availableConnections = MaximumAvailableConnections(connections, logger: logger)
        // The number of connections that may be accepted before idle ones are closed for them.
        shares = ConnectionShares(connections - connections / 16, proxies: deployment.proxies) {
            metrics?.count(refusedBy: "connections")
        }
    }

    /// Adds the routes to the router of an application.
    ///
    /// A route that the router has before keeps its path: a page of your own at `/` takes the place of Ward's sign-in page, which
    /// people also get at ``signInAddress(returningTo:)``. A route that you add afterwards gets only the paths that Ward does not
    /// have.
    ///
    /// Limits on bodies, header fields for security, rules for origins, request IDs and problem documents apply to Ward's paths
    /// only. Middleware that the router has before applies to them too.
    ///
    /// - Parameter router: A router whose context knows the address of the client: Ward counts tries for each address.
    public func mount<Context: RemoteAddressRequestContext>(on router: Router<Context>) {
        router.add(middleware: WardMiddleware<Context>(edge: edge))
    }

    /// The HTTP server of the service: it closes connections that send too much or too slowly, and shares connections among clients.
    ///
    /// Its limits apply to all paths of the application. Without this server the application has only Hummingbird's own limits, and the
    /// routes work the same.
    public var httpServer: HTTPServerBuilder {
        HTTPServerBuilder { [limits, shares] responder in
            GuardedHTTP1Channel(limits: limits, shares: shares, responder: responder)
        }
    }

    /// The address of the page where a person signs in and then goes on to a page of the application.
    ///
    /// A person who is signed in goes on at once. So does a browser whose session is bound to its device, after it proved that it has the
    /// key.
    ///
    /// - Parameter page: The path and the query of the page, such as `/notes?sort=new`.
    /// - Returns: A path with a query.
    public func signInAddress(returningTo page: String) -> String { OwnPage.address(returningTo: page) }
}
