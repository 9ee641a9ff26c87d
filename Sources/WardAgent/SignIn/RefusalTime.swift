/// The time after which a refusal is given.
///
/// A page that asks for a passkey without a question could learn from the time of the refusal why there is none: whether
/// the vault is locked, whether the account has a passkey, whether another manager was asked.
enum RefusalTime {
    /// A refusal comes after a multiple of this time, which is much longer than the checks take.
    static let step = Duration.milliseconds(250)

    /// Runs a request; a failure is thrown after a multiple of ``step`` since its begin, or at once if the task is
    /// cancelled.
    static func hidden<T>(_ request: () async throws -> T) async throws -> T {
        let begin = ContinuousClock.now
        do {
            return try await request()
        } catch {
            try? await Task.sleep(until: begin + step * (Int(begin.duration(to: .now) / step) + 1), clock: .continuous)
            throw error
        }
    }
}
