/// Whether a service can work. It tests this with a write.
///
/// The result is reused for two seconds, so that frequent requests of strangers do not cause more writes.
package actor Readiness {
    /// How long a result is reused, in seconds.
    private static let lifetime: Int64 = 2

    private let now: @Sendable () -> Int64
    private let test: @Sendable () async throws -> Void
    private var attempt: (began: Int64, result: Task<Void, any Error>)?

    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - test: Writes, and throws if it cannot.
    package init(now: @escaping @Sendable () -> Int64, test: @escaping @Sendable () async throws -> Void) {
        self.now = now
        self.test = test
    }

    /// Tests whether the service can write, unless this was tested a moment ago.
    ///
    /// - Throws: What the test threw.
    package func check() async throws {
        let now = now()
        // A clock that was set back makes no result last longer.
        if let attempt, attempt.began <= now, now < attempt.began + Self.lifetime {
            return try await attempt.result.value
        }
        let result = Task { [test] in try await test() }
        attempt = (now, result)
        try await result.value
    }
}
