/// The result of waiting for a finger.
enum FingerprintResult: Hashable, Sendable {
    /// The finger belongs to the person.
    case match
    /// The finger belongs to another person, or was not recognised.
    case noMatch
    /// Fingerprints cannot be read.
    case unavailable(FingerprintProblem)
    /// The result is no longer needed.
    case cancelled
}

/// A fingerprint reader.
///
/// Outside tests it is fprintd.
protocol FingerprintReader: Sendable {
    /// Waits for one finger. The wait ends if the task is cancelled.
    ///
    /// - Parameter waiting: Called when the reader is ready, so that the person can be told.
    /// - Returns: What came of it.
    func verify(_ waiting: @escaping @Sendable () -> Void) async -> FingerprintResult
    /// The reason why fingerprints cannot be read, or `nil` if they can.
    func problem() async -> FingerprintProblem?
}
