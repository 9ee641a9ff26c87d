import Logging
import WardAccounts

/// Whether the service can work. It tests this with a write.
///
/// The result is reused for two seconds, so that frequent requests of strangers do not cause more writes.
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
