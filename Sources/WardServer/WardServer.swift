package import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
public import WardAccounts
package import WardAttestation
import WardMail
public import WardWebAuthn

/// A sign-in service: accounts, passkeys and sessions over HTTP, on top of any store.
///
/// ```swift
/// let server = try WardServer(configuration: ServerConfiguration(), store: store, logger: logger)
/// try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// To serve pages of your own beside it, mount ``routes(limits:)`` in a Hummingbird application.
///
/// It speaks HTTP/1.1 without TLS; put a proxy with the certificate in front of it. On graceful shutdown it accepts no
/// new connections, finishes the requests that run, and returns.
public struct WardServer<Store: AccountStore>: Service, CustomStringConvertible {
    let configuration: ServerConfiguration
    private let store: Store
    let effects: Effects
    let logger: Logger
    let limits: ConnectionLimits
    private let passwordQueue: PasswordQueue?
    private let ceremonyCeiling: CeremonyCeiling
    private let tryLimits: Limits
    private let providers: ProviderClient.Connection
    private let metadataAnchors: TrustAnchors
    let onListening: @Sendable (ListenAddress) async -> Void

    /// Checks the configuration.
    ///
    /// Nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the service.
    ///   - store: The store for accounts.
    ///   - effects: Clock and randomness.
    ///   - logger: Logs requests and failures, never names, tokens or bodies.
    ///   - onListening: Called once, with the address that the service listens on.
    /// - Throws: ``ServerConfigurationError`` for settings that contradict each other.
    public init(
        configuration: ServerConfiguration,
        store: Store,
        effects: Effects = .live,
        logger: Logger,
        onListening: @escaping @Sendable (ListenAddress) async -> Void = { _ in }
    ) throws(ServerConfigurationError) {
        try self.init(
            configuration: configuration,
            store: store,
            effects: effects,
            logger: logger,
            connectionLimits: .standard,
            onListening: onListening
        )
    }

    package init(
        configuration: ServerConfiguration,
        store: Store,
        effects: Effects,
        logger: Logger,
        connectionLimits: ConnectionLimits = .standard,
        passwordQueue: PasswordQueue? = nil,
        ceremonyCeiling: CeremonyCeiling = CeremonyCeiling(),
        tryLimits: Limits = .standard,
        providers: ProviderClient.Connection = .network,
        metadataAnchors: TrustAnchors = .fidoMetadata,
        onListening: @escaping @Sendable (ListenAddress) async -> Void = { _ in }
    ) throws(ServerConfigurationError) {
        try configuration.validate()
        self.configuration = configuration
        self.store = store
        self.effects = effects
        self.logger = logger
        limits = connectionLimits
        self.passwordQueue = passwordQueue
        self.ceremonyCeiling = ceremonyCeiling
        self.tryLimits = tryLimits
        self.providers = providers
        self.metadataAnchors = metadataAnchors
        self.onListening = onListening
    }

    /// Serves until the task is cancelled or gracefully shut down.
    ///
    /// - Throws: ``ServerStartError`` if the service cannot listen; the store's errors if the store fails at the start.
    public func run() async throws {
        try await serve()
    }

    /// The service as a Hummingbird application, for tests without a socket.
    package func application() async throws -> Application<Edge> {
        let routes = try await routes(limits, at: configuration.listen)
        return Application(responder: routes.edge, services: routes.services, logger: logger)
    }

    /// The API and the pages, for a Hummingbird application of your own.
    ///
    /// The application has its own address: ``ServerConfiguration/listen`` is not used, and `onListening` is not called.
    ///
    /// - Parameter limits: The limits of connections. They apply if the application takes ``WardRoutes/httpServer``.
    /// - Returns: The routes, with all that runs beside them.
    /// - Throws: ``ServerConfigurationError`` if the database belongs to another RP ID; ``ServerStartError`` if a file of the program is
    ///   missing; the store's errors.
    public func routes(limits: ConnectionLimits = .standard) async throws -> WardRoutes<Store> {
        try await routes(limits, at: nil)
    }

    func routes(_ limits: ConnectionLimits, at address: ListenAddress?) async throws -> WardRoutes<Store> {
        if configuration.acceptsPasswords, configuration.breachedPasswords == nil {
            logger.notice("\(ServerConfiguration.noBreachedPasswords)")
        }
        if let warning = try configuration.proxyWarning(listeningOn: address) { logger.notice("\(warning.message)") }
        let deployment = try await Deployment(
            configuration,
            store: store,
            effects: effects,
            ceremonies: ceremonyCeiling,
            tryLimits: tryLimits,
            providers: providers,
            metadataAnchors: metadataAnchors
        )
        let parts = try ConfiguredParts(configuration)
        let metrics = configuration.metricsListen.map { address in
            MetricsServer(metrics: ServiceMetrics(startedAt: effects.now()), address: address, logger: logger)
        }
        // When the service stops, the threads of its queue end. So each run has its own queue.
        let passwordQueue = passwordQueue ?? PasswordQueue()
        let pages = try PageRoutes(deployment, configuration)
        var services: [any Service] = [
            Sweeper(
                store,
                effects: effects,
                ceiling: deployment.ceremonies,
                keyRotation: configuration.keyRotation.components.seconds,
                logger: logger
            ), passwordQueue,
        ]
        if let keeper = try keeper() { services.append(keeper) }
        if let metadata = deployment.metadata {
            services.append(MetadataKeeper(metadata, effects: effects, logger: logger))
        }
        if let mail = parts.mail { services.append(try sender(mail, pages, at: deployment.page, metrics?.metrics)) }
        if let webhooks = try await webhookSender(parts.webhooks, metrics?.metrics) { services.append(webhooks) }
        if let texts = parts.texts { services.append(try sender(texts, pages, deployment, metrics?.metrics)) }
        if let metrics { services.append(metrics) }
        if let address = configuration.adminListen {
            let api = AdminAPI(
                store: store,
                effects: effects,
                origin: deployment.page,
                sessionRules: deployment.sessionRules,
                providers: deployment.federation.providers.names
            )
            services.append(AdminServer(api, at: address, logger: logger))
        }
        var cors = parts.cors
        cors.isClient = { try await deployment.isClientPage($0) }
        let edge = try Edge(
            deployment.router(configuration, pages: pages, passwordQueue: passwordQueue, logger: logger),
            pages: pages,
            headers: SecurityHeaders(isSecure: parts.isSecure),
            cors: cors,
            metrics: metrics?.metrics,
            trusts: { [proxies = deployment.proxies] in proxies.trusts(peer: $0) }
        )
        return WardRoutes(
            deployment,
            edge: edge,
            services: services,
            connections: try OpenFiles.connections(limits.connections, under: OpenFiles.raise()),
            limits: limits,
            metrics: metrics?.metrics,
            logger: logger
        )
    }

    /// The name of the type: service-lifecycle logs its services, and settings may be secret.
    public var description: String { "\(Self.self)" }

    private func keeper() throws -> AuditKeeper<Store>? {
        try configuration.auditKey.map { path in
            AuditKeeper(
                store,
                key: try AuditKey.readOrCreate(at: path),
                .init(heads: configuration.auditHeads, retention: configuration.auditRetention.components.seconds),
                effects: effects,
                logger: logger
            )
        }
    }

    private func webhookSender(
        _ route: WebhookRoute?,
        _ metrics: ServiceMetrics?
    ) async throws -> WebhookSender<Store>? {
        let delivery = try route?.delivery()
        let dropped = try await WebhookOutbox.prepare(route != nil, store)
        if dropped > 0 {
            logger.warning(
                "webhooks are off: those that waited are deleted",
                metadata: ["count": .stringConvertible(dropped)]
            )
        }
        guard let route, let delivery else { return nil }
        return WebhookSender(store, route, delivery, effects: effects, metrics: metrics, logger: logger)
    }

    private func sender(
        _ route: TextRoute,
        _ pages: PageRoutes,
        _ deployment: Deployment<Store>,
        _ metrics: ServiceMetrics?
    ) throws -> MailSender<Store> {
        let messages = TextMessages(
            pages,
            host: deployment.host,
            try route.delivery(),
            effects: effects
        )
        return MailSender(
            store,
            .text,
            effects: effects,
            recoveryWait: configuration.recoveryWait.components.seconds,
            every: .milliseconds(500),
            OutboxReport(.text, metrics, logger)
        ) { (mail, secret) async throws(MailFailure) in try await messages.send(mail, secret) }
    }

    private func sender(
        _ route: MailRoute,
        _ pages: PageRoutes,
        at origin: String,
        _ metrics: ServiceMetrics?
    ) throws -> MailSender<Store> {
        MailSender(
            store,
            try route.transport(),
            MailTexts(pages, origin: origin, recoveryWait: configuration.recoveryWait.components.seconds),
            from: route.sender,
            effects: effects,
            recoveryWait: configuration.recoveryWait.components.seconds,
            metrics: metrics,
            logger: logger
        )
    }
}
