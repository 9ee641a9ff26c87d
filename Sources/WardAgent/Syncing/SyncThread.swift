internal import Dispatch

/// The thread on which a sync reads and writes its folder.
///
/// A folder can be on a drive that does not answer. Then this thread waits, and the threads of other tasks stay free: a serial queue gets
/// a new thread of the system as long as all others wait.
final class SyncThread: TaskExecutor {
    private let queue = DispatchQueue(label: "ward.sync")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
