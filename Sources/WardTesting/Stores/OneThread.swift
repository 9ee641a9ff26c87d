internal import Dispatch
internal import Synchronization

/// An executor with one thread that runs jobs one after the other.
///
/// If a job blocks the thread, all other jobs stop.
package final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "ward.one-thread")
    private let beats = Atomic(0)

    private init() {}

    /// Runs a job when it is its turn.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a closure and its tasks on one thread.
    ///
    /// If the thread is blocked for ten minutes, the process ends, because nothing else could end the test. The minutes are
    /// counted in steps: if the machine itself stops for a while, that counts as one step.
    package static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let thread = OneThread()
        let watch = Task.detached {
            while true {
                let before = thread.beats.load(ordering: .relaxed)
                thread.queue.async { thread.beats.add(1, ordering: .relaxed) }
                var steps = 0
                while thread.beats.load(ordering: .relaxed) == before {
                    guard steps < 120 else { fatalError("the one thread is blocked") }
                    steps += 1
                    try await Task.sleep(for: .seconds(5))
                }
                try await Task.sleep(for: .seconds(5))
            }
        }
        defer { watch.cancel() }
        return try await withTaskExecutorPreference(thread) { try await body() }
    }
}
