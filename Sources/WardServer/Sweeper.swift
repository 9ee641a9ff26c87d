import Logging
import ServiceLifecycle
package import WardAccounts
import WardWebAuthn

/// What a sweep deletes.
package enum Sweeping {
    /// How long an expired session stays in the store, in seconds.
    ///
    /// It opens nothing in this time. After a jump of the clock, and its correction, it is a session again.
    package static let sessionGrace: Int64 = 30 * 86_400

    /// Deletes expired ceremonies, and sessions and invitations that expired a month ago.
    @discardableResult
    package static func sweep(
        _ store: some AccountStore,
        at now: Int64
    ) async throws -> (ceremonies: Int, sessions: Int) {
        try await store.write { tx in
            let ceremonies = try await tx.deleteExpiredCeremonies(before: now)
            try await tx.deleteExpiredInvitations(before: now - sessionGrace)
            return (ceremonies, try await tx.deleteExpiredSessions(at: now - sessionGrace))
        }
    }
}

/// Sweeps once a minute.
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
        do {
            let (ceremonies, sessions) = try await Sweeping.sweep(store, at: effects.now())
            logger.debug("swept", metadata: ["ceremonies": "\(ceremonies)", "sessions": "\(sessions)"])
        } catch let error as StoreError {
            logger.warning("sweeping failed", metadata: ["error": .string("\(error)")])
        } catch {
            logger.warning("sweeping failed")
        }
    }
}
