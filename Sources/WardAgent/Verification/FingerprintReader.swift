/// What came of waiting for a finger.
enum FingerprintResult: Hashable, Sendable {
    /// The finger is the person's.
    case match
    /// The finger is another person's, or was not recognised.
    case noMatch
    /// There is nothing to wait for.
    case unavailable(FingerprintProblem)
    /// Nobody waits any more.
    case cancelled
}

/// Something that reads fingers; fprintd outside tests.
protocol FingerprintReader: Sendable {
    /// Waits for one finger, until the task is cancelled.
    ///
    /// - Parameter waiting: Called when the reader is ready, so that the person can be told.
    /// - Returns: What came of it.
    func verify(_ waiting: @escaping @Sendable () -> Void) async -> FingerprintResult
    /// Why no finger can be read; `nil` where one can.
    func problem() async -> FingerprintProblem?
}
