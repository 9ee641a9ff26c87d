import Logging
import ServiceLifecycle
import WardAccounts
import WardWebAuthn

/// Deletes expired ceremonies and sessions.
///
/// Expiry is checked at every use, so this only keeps the store small.
struct Sweeper<Store: AccountStore>: Service {
    private let store: Store
    private let effects: Effects
    private let interval: Duration
    private let logger: Logger

    init(_ store: Store, effects: Effects, every interval: Duration = .seconds(60), logger: Logger) {
        self.store = store
        self.effects = effects
        self.interval = interval
        self.logger = logger
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try await Task.sleep(for: interval)
            }
        }
    }

    private func sweep() async {
        let now = effects.now()
        do {
            let (ceremonies, sessions) = try await store.write { tx in
                (try await tx.deleteExpiredCeremonies(before: now), try await tx.deleteExpiredSessions(at: now))
            }
            logger.debug("swept", metadata: ["ceremonies": "\(ceremonies)", "sessions": "\(sessions)"])
        } catch let error as StoreError {
            logger.warning("sweeping failed", metadata: ["error": .string("\(error)")])
        } catch {
            logger.warning("sweeping failed")
        }
    }
}
