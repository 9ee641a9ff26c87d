import Logging
import ServiceLifecycle
import WardAccounts
import WardServer
import WardSyncServer
import WardSyncStoreSQLite

/// The sync server of a service: its store, and what runs.
struct SyncParts {
    let services: [any Service]
    /// The vaults of accounts, for the pages of the service.
    let vaults: AccountVaults
    private let store: SQLiteSyncStore

    /// - Parameters:
    ///   - settings: The settings of the sync server.
    ///   - service: The settings of the service.
    ///   - accounts: The accounts of the service.
    ///   - logger: Logs requests and failures.
    /// - Throws: What is wrong with the settings or the database.
    init(
        _ settings: SyncSettings,
        _ service: ServerConfiguration,
        accounts: some AccountStore,
        logger: Logger
    ) throws {
        if settings.database == ServeSettings.memory {
            store = try .inMemory()
        } else {
            try prepareDirectory(of: settings.database)
            try PrivateFiles.check(database: settings.database)
            store = try SQLiteSyncStore(path: settings.database)
        }
        var configuration = SyncServerConfiguration(host: settings.host)
        configuration.limits.vaultBytes = settings.vaultBytes
        configuration.limits.vaultEntries = settings.vaultEntries
        configuration.limits.vaultsOfAccount = Int(settings.accountVaults)
        configuration.limits.accountBytes = settings.accountBytes
        configuration.accounts = SyncAccounts(try SyncSignIn(service, store: accounts))
        let proxies = try TrustedProxies(service.trustedProxies)
        if proxies.knowsClients {
            configuration.address = { fields, peer in proxies.client(peer: peer, fields)?.description }
        }
        let sync = SyncServer(configuration: configuration, store: store, logger: logger)
        vaults = AccountVaults(sync, store, configuration.limits)
        let (host, database) = (settings.host, settings.database)
        let listener = try SideServer(
            responder: sync.responder(),
            address: settings.listen,
            limits: Self.limits,
            logger: logger
        ) { address in
            logger.info(
                "sync server",
                metadata: ["address": "\(address)", "host": "\(host)", "database": "\(database)"]
            )
        }
        // Services stop in the reverse order: who waits for news must not hold the listener up.
        services = [listener, sync.upkeep]
    }

    func close() async throws { try await store.close() }

    /// Uploads are longer than the requests of the service, and answers have no end: streams of events last as long as a session.
    private static var limits: ConnectionLimits {
        var limits = ConnectionLimits.standard
        limits.bodyBytes = SyncLimits.uploadBytes
        limits.bodyDeadline = .seconds(SyncLimits.uploadPatience)
        limits.bodyRate = SyncLimits.uploadRate
        limits.answerDeadline = .seconds(SyncLimits.sessionLifetime + 60)
        limits.answerPatience = .seconds(SyncLimits.answerPatience)
        limits.answerRate = SyncLimits.answerRate
        limits.connections = 12_288
        return limits
    }
}
