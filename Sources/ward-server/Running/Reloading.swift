import Configuration
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the settings again at `SIGHUP`, and uses those that can change while the service runs.
struct Reloading: Service, CustomStringConvertible {
    let hangups: UnixSignalsSequence
    /// The settings that were given as options.
    let given: [AbsoluteConfigKey: ConfigValue]
    let settings: ServeSettings
    let level: SharedLogLevel
    let manager: ServiceManager
    let logger: Logger

    /// The name of the type: service-lifecycle logs its services, and settings may be secret.
    var description: String { "\(Self.self)" }

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            manager.isReloading()
            await reload()
            manager.isReady()
        }
    }

    private func reload() async {
        do {
            let fresh = try await ServeSettings(given)
            level.set(fresh.logLevel)
            logger.notice("settings reloaded", metadata: ["log-level": "\(fresh.logLevel)"])
            if fresh.needsRestart(after: settings) {
                logger.warning("other settings changed: they count after a restart")
            }
        } catch {
            logger.error("settings not reloaded: they stay as they were", metadata: ["error": "\(error)"])
        }
    }
}

/// Tells the service manager that the service is about to end.
struct StoppingNotice: Service {
    let manager: ServiceManager

    func run() async throws {
        try? await gracefulShutdown()
        manager.isStopping()
    }
}

extension ServeSettings {
    /// Whether settings have changed that need a restart.
    fileprivate func needsRestart(after other: ServeSettings) -> Bool {
        // The text of these values contains every setting, and no setting is a secret.
        "\(server) \(database) \(logFormat)" != "\(other.server) \(other.database) \(other.logFormat)"
            || sync != other.sync
    }
}
