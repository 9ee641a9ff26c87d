internal import Dispatch
internal import Synchronization

/// An executor with one thread that runs jobs one after the other, so that code that blocks it stops all other jobs.
package final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "ward.one-thread")
    private let beats = Atomic(0)

    private init() {}

    /// Runs a job in its turn.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a body and its tasks on one thread.
    ///
    /// It ends the process if the thread is blocked for ten minutes: nothing else could end the test. The minutes are counted in
    /// steps, so that a machine that stood still for a while counts as one step.
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
