/// How long a ceremony may take: what the page hints at, kept within bounds that leave a person time and do not wait for ever.
///
/// WebAuthn Level 3, [§15.1](https://www.w3.org/TR/webauthn-3/#sctn-timeout-recommended-range): 300,000 to 600,000
/// milliseconds, 300,000 where nothing is said.
public struct CeremonyTimeout: Sendable {
    /// The shortest, in milliseconds.
    public static var minimum: Int64 { 300_000 }
    /// The longest, in milliseconds.
    public static var maximum: Int64 { 600_000 }
    /// Where the page says nothing, in milliseconds.
    public static var `default`: Int64 { 300_000 }

    /// The time a request gets.
    ///
    /// - Parameter hint: What the options say, in milliseconds; any number.
    /// - Returns: The closest time within the bounds.
    public static func clamped(_ hint: Int64?) -> Duration {
        .milliseconds(min(max(hint ?? Self.default, minimum), maximum))
    }

    /// Waits, or throws when its task is cancelled; tests pass their own clock.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Wires it by hand.
    public init(sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleep = sleep
    }

    /// The system's clock, which goes on while the machine sleeps.
    public static var live: CeremonyTimeout {
        CeremonyTimeout { try await Task.sleep(for: $0, clock: .continuous) }
    }

    /// Runs `work` for at most `limit`; `nil` means without end, as conditional requests do.
    ///
    /// Where the limit comes first, `work`'s task is cancelled, which is what `authenticatorCancel` is here, and it is
    /// waited for until it has let go.
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
        // Whatever the authenticator made of a cancelled task, the caller took its request back.
        if Task.isCancelled { throw .aborted }
        return try (outcome ?? .failure(.aborted)).get()
    }
}
