import Logging
import WardAccounts

/// Whether the service can do its work: it tries a write.
///
/// The result counts for two seconds, so strangers who ask all the time cost no more writes than one who asks seldom.
actor Readiness<Store: AccountStore> {
    private static var lifetime: Duration { .seconds(2) }

    private let store: Store
    private let logger: Logger
    private var attempt: (began: ContinuousClock.Instant, result: Task<Bool, Never>)?

    init(_ store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    var isReady: Bool {
        get async {
            let now = ContinuousClock.now
            if let attempt, now - attempt.began < Self.lifetime { return await attempt.result.value }
            let result = Task { [store, logger] in
                do {
                    try await store.probe()
                    return true
                } catch {
                    logger.error("not ready", metadata: ["error": "\(error)"])
                    return false
                }
            }
            attempt = (now, result)
            return await result.value
        }
    }
}
