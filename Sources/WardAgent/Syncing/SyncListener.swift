/// Waits for news of a server, in one task at a time.
///
/// It belongs to a ``Syncer``, which tells it when a sync has ended well and when to stop.
struct SyncListener {
    /// The task that waits.
    private var task: Task<Void, Never>?
    private(set) var number = 0
    /// How often in a row waiting ended with an error.
    private var failures = 0
    /// Whether the next sync looks for what the server called for.
    private var isLooking = false
    /// Whether nothing was there the last time.
    private var wasNothing = false

    /// Begins to wait, unless a task does already.
    ///
    /// - Parameters:
    ///   - wait: Waits for news.
    ///   - delay: How long to wait before that, by the number of failures.
    ///   - heard: Called at the end, with the number of this waiting and whether there is news.
    mutating func begin(
        _ wait: @escaping @Sendable () async throws -> Void,
        delay: (_ failures: Int) -> Duration,
        heard: @escaping @Sendable (_ number: Int, _ hasNews: Bool) async -> Void
    ) {
        guard task == nil else { return }
        number += 1
        let (number, pause) = (number, failures == 0 ? Duration.zero : delay(failures))
        task = Task {
            var hasNews = false
            do {
                if pause > .zero { try await Task.sleep(for: pause) }
                try await wait()
                hasNews = true
            } catch {}
            guard !Task.isCancelled else { return }
            await heard(number, hasNews)
        }
    }

    /// Notes how a waiting ended.
    ///
    /// - Returns: Whether a sync must look at the server: there is news, or the first waiting failed. `nil` if another waiting has
    ///   begun since.
    mutating func ended(_ number: Int, hasNews: Bool) -> Bool? {
        guard number == self.number, task != nil else { return nil }
        task = nil
        failures = hasNews ? 0 : failures + 1
        isLooking = hasNews || failures == 1
        return isLooking
    }

    /// A sync ended well.
    mutating func looked(taken: Int) {
        if isLooking { wasNothing = taken == 0 }
        isLooking = false
    }

    /// The server was away, and a sync with it ended well: what waits for its return need not wait longer.
    mutating func serverCameBack() {
        guard failures > 0 else { return }
        task?.cancel()
        (task, failures) = (nil, 0)
    }

    /// Whether what the server calls for is looked for at once: not if it called for nothing before.
    var mayLookAtOnce: Bool { !wasNothing }

    /// Ends the waiting.
    mutating func stop() {
        task?.cancel()
        (task, failures) = (nil, 0)
        (isLooking, wasNothing) = (false, false)
    }
}
