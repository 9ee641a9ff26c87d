internal import Synchronization
internal import WardAgentClient
internal import WardSync

/// How far the sync that runs is, as the sync itself reports.
final class ProgressNote: Sendable {
    private let latest = Mutex<SyncProgress?>(nil)

    /// Takes a report of a sync.
    func note(_ progress: SyncProgress) { latest.withLock { $0 = progress } }

    /// Nothing runs any more.
    func clear() { latest.withLock { $0 = nil } }

    var state: SyncState.Progress? {
        latest.withLock { $0 }.map { SyncState.Progress(step: $0.step.rawValue, done: $0.done, total: $0.total) }
    }
}
