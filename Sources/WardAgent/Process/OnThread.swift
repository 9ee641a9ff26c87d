internal import Foundation

/// Runs a closure on its own thread.
///
/// The closure may block in system calls, and the threads of tasks stay free.
package func onThread<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
    let result: Result<T, E> = await withCheckedContinuation { continuation in
        Thread {
            let result: Result<T, E>
            do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
            continuation.resume(returning: result)
        }.start()
    }
    return try result.get()
}
