import ArgumentParser
import Configuration
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WardServer
import WardStoreSQLite

/// `ward-server serve`.
struct Serve: SettingsUse {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        discussion: """
            Every setting is also read from the environment (--rp-id as WARD_RP_ID, several origins in WARD_ORIGIN \
            separated by commas) and from the file of --config ({"rp-id": "example.com", "origin": ["https://…"]}). \
            An option overrides the environment, and the environment overrides the file.

            Exit codes: 64 if the settings are not valid, 69 if the service cannot start or continue.
            """
    )

    func run(_ given: [AbsoluteConfigKey: ConfigValue]) async throws {
        try await reportingFailures { try await serve(given) }
    }

    private func serve(_ given: [AbsoluteConfigKey: ConfigValue]) async throws {
        // The process handles passwords, so its memory is protected.
        hideMemory()
        // A collector of the log that ends must not end the service.
        _ = signal(SIGPIPE, SIG_IGN)
        let settings = try await ServeSettings(given)
        try settings.server.validate()
        // The handler must exist before the service reports that it is ready, because the manager may send the signal a moment
        // later.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let level = SharedLogLevel(settings.logLevel)
        LoggingSystem.bootstrap { ServiceLogHandler(label: $0, format: settings.logFormat, level: level) }
        let logger = Logger(label: "ward")
        let store = try openStore(settings)
        if settings.server.servesFIDOConformance {
            warn("the FIDO conformance API is on: anybody can add a passkey to any account. Use it for tests only.")
        }
        if !settings.server.acceptsPasswords {
            let count = try await store.passwordOnlyAccounts()
            if count > 0 { warn(passwordOnlyWarning(count)) }
        }
        let manager = ServiceManager()
        let origins = settings.server.origins
        let sync = try settings.sync.map { try SyncParts($0, settings.server, accounts: store, logger: logger) }
        var configuration = settings.server
        configuration.vaults = sync?.vaults
        let server = try WardServer(configuration: configuration, store: store, logger: logger) { address in
            say("Ward is at \(origins.joined(separator: ", ")) (listening on \(address)).")
            manager.isReady()
        }
        let reloading = Reloading(
            hangups: hangups,
            given: given,
            settings: settings,
            level: level,
            manager: manager,
            logger: logger
        )
        var group = ServiceGroupConfiguration(
            services: (sync?.services ?? []) + [server, reloading, StoppingNotice(manager: manager)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        // Running requests are finished, with a time limit for clients that do not continue.
        group.maximumGracefulShutdownDuration = .seconds(30)
        try await ServiceGroup(configuration: group).run()
        try await store.close()
        try await sync?.close()
    }

    private func openStore(_ settings: ServeSettings) throws -> SQLiteAccountStore {
        guard !settings.server.storeIsInMemory else { return try .inMemory() }
        try prepareDirectory(of: settings.database)
        try PrivateFiles.check(database: settings.database)
        return try SQLiteAccountStore(path: settings.database)
    }
}

/// Creates the folder of a database, if it does not exist, with access only for its owner.
func prepareDirectory(of database: String) throws {
    let directory = URL(fileURLWithPath: database).deletingLastPathComponent()
    do {
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    } catch {
        throw failure("the directory \(directory.path) of the database cannot be created", .unavailable)
    }
}
