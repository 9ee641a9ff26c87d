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
    /// It ends the process if the thread is blocked for two minutes.
    package static func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let thread = OneThread()
        let watch = Task.detached {
            while true {
                let before = thread.beats.load(ordering: .relaxed)
                thread.queue.async { thread.beats.add(1, ordering: .relaxed) }
                try await Task.sleep(for: .seconds(120))
                guard thread.beats.load(ordering: .relaxed) > before else { fatalError("the one thread is blocked") }
            }
        }
        defer { watch.cancel() }
        return try await withTaskExecutorPreference(thread) { try await body() }
    }
}
