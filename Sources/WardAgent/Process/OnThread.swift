internal import Foundation

/// Runs a body that waits in system calls, on a thread of its own: the threads of tasks are needed by others.
func onThread<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
    let result: Result<T, E> = await withCheckedContinuation { continuation in
        Thread {
            let result: Result<T, E>
            do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
            continuation.resume(returning: result)
        }.start()
    }
    return try result.get()
}
