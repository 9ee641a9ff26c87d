/// The time limit of a ceremony.
///
/// The page may suggest a limit; it is adjusted to a range that gives a person enough time.
///
/// WebAuthn Level 3, [§15.1](https://www.w3.org/TR/webauthn-3/#sctn-timeout-recommended-range): 300,000 to 600,000
/// milliseconds, 300,000 by default.
public struct CeremonyTimeout: Sendable {
    /// The minimum, in milliseconds.
    public static var minimum: Int64 { 300_000 }
    /// The maximum, in milliseconds.
    public static var maximum: Int64 { 600_000 }
    /// The default without a hint, in milliseconds.
    public static var `default`: Int64 { 300_000 }

    /// The time limit of a request, in milliseconds.
    ///
    /// - Parameter hint: The timeout in the options, in milliseconds; any number.
    /// - Returns: The closest time within the limits.
    public static func clamped(_ hint: Int64?) -> Duration {
        .milliseconds(min(max(hint ?? Self.default, minimum), maximum))
    }

    /// A wait that throws if its task is cancelled.
    ///
    /// Tests pass their own clock.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a timeout from a closure.
    public init(sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleep = sleep
    }

    /// The system's clock, which also runs while the machine sleeps.
    public static var live: CeremonyTimeout {
        CeremonyTimeout { try await Task.sleep(for: $0, clock: .continuous) }
    }

    /// Runs `work` for at most `limit`; `nil` means no limit, for conditional requests.
    ///
    /// If the limit is reached first, `work`'s task is cancelled (this acts as `authenticatorCancel`), and the call
    /// waits until it has ended.
    func run<Value: Sendable>(
        within limit: Duration?,
        _ work: @escaping @Sendable () async -> Result<Value, ClientError>
    ) async throws(ClientError) -> Value {
        if Task.isCancelled { throw .aborted }
        let sleep = sleep
        let outcome = await withTaskGroup(of: Result<Value, ClientError>?.self) { group in
            group.addTask { await work() }
            if let limit {
                group.addTask {
                    do { try await sleep(limit) } catch { return nil }
                    return .failure(.notAllowed(.timedOut))
                }
            }
            var first: Result<Value, ClientError>?
            while first == nil, let next = await group.next() { first = next }
            group.cancelAll()
            return first
        }
        // The caller cancelled the request. The authenticator's answer no longer matters.
        if Task.isCancelled { throw .aborted }
        return try (outcome ?? .failure(.aborted)).get()
    }
}
