internal import Synchronization
internal import WardAgentClient
internal import WardSync

/// How far the sync that runs is, as the sync itself reports.
final class ProgressNote: Sendable {
    private let latest = Mutex<(progress: SyncProgress?, count: Int)>((nil, 0))

    /// Takes a report of a sync.
    func note(_ progress: SyncProgress) { latest.withLock { $0 = (progress, $0.count &+ 1) } }

    /// Nothing runs any more.
    func clear() { latest.withLock { $0.progress = nil } }

    /// The number of reports so far: a sync that reports nothing may hang.
    var count: Int { latest.withLock { $0.count } }

    var state: SyncState.Progress? {
        latest.withLock { $0.progress }.map {
            SyncState.Progress(step: $0.step.rawValue, done: $0.done, total: $0.total)
        }
    }
}
