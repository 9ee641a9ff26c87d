import Logging
import ServiceLifecycle
package import WardAccounts
import WardWebAuthn

/// What a sweep deletes.
package enum Sweeping {
    /// How long an expired session stays in the store, in seconds.
    ///
    /// It gives no access in this time. If the clock jumped and was corrected, the session becomes valid again.
    package static let sessionGrace: Int64 = 30 * 86_400

    /// How many days the counts of upgrades stay in the store.
    package static let upgradeDays: Int64 = 400

    /// The maximum number of rows that one transaction deletes.
    package static let slice = 500

    /// Deletes expired ceremonies, tokens, codes of devices, links of messages and counts, and sessions and invitations that expired a month ago.
    @discardableResult
    package static func sweep(
        _ store: some AccountStore,
        at now: Int64
    ) async throws -> (ceremonies: Int, sessions: Int) {
        let longAgo = now - sessionGrace
        let ceremonies = try await inSlices(store) { try await $0.deleteExpiredCeremonies(before: now, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredUses(before: now, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredInvitations(before: longAgo, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredAttempts(before: now, limit: slice) }
        try await inSlices(store) { try await $0.deleteSurplusAttempts(keeping: Limits.mostCounts, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredOAuthTokens(before: now, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredOAuthGrants(before: now, limit: slice) }
        // An expired code stays for a while, so that the device learns what happened.
        try await inSlices(store) { try await $0.deleteExpiredDeviceAuthorizations(before: now - 3_600, limit: slice) }
        try await inSlices(store) { try await $0.deleteExpiredMailLinks(before: now, limit: slice) }
        // The person sees for a day that a request has expired.
        try await inSlices(store) { try await $0.deleteExpiredHelpRequests(before: now - 86_400, limit: slice) }
        let oldest = UpgradeCount.day(of: now) - upgradeDays
        try await inSlices(store) { try await $0.deleteUpgradeCounts(before: oldest, limit: slice) }
        let sessions = try await inSlices(store) { try await $0.deleteExpiredSessions(at: longAgo, limit: slice) }
        return (ceremonies, sessions)
    }

    /// Each part is deleted in its own transaction, so a sign-in waits for at most one of them.
    @discardableResult
    private static func inSlices<Store: AccountStore>(
        _ store: Store,
        _ delete: @escaping @Sendable (Store.Transaction) async throws -> Int
    ) async throws -> Int {
        var total = 0
        while true {
            let count = try await store.write(delete)
            total += count
            guard count == slice else { return total }
            try Task.checkCancellation()
        }
    }
}

/// Sweeps once a minute, and replaces the keys of ID tokens in time.
///
/// Expiry is checked at every use. So this task only limits the size of the store.
struct Sweeper<Store: AccountStore>: Service {
    private let store: Store
    private let effects: Effects
    private let interval: Duration
    private let ceiling: CeremonyCeiling
    private let keyRotation: Int64
    private let logger: Logger

    init(
        _ store: Store,
        effects: Effects,
        every interval: Duration = .seconds(60),
        ceiling: CeremonyCeiling,
        keyRotation: Int64,
        logger: Logger
    ) {
        self.store = store
        self.ceiling = ceiling
        self.effects = effects
        self.keyRotation = keyRotation
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
            try await IDTokenKeys.keepNew(store, every: keyRotation, at: effects.now())
            ceiling.measured(try await store.read { try await $0.ceremonyCount() })
            logger.debug("swept", metadata: ["ceremonies": "\(ceremonies)", "sessions": "\(sessions)"])
        } catch let error as StoreError {
            logger.warning("sweeping failed", metadata: ["error": .string("\(error)")])
        } catch {
            logger.warning("sweeping failed")
        }
    }
}
