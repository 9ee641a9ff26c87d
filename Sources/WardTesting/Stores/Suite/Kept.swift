import Synchronization

/// Stores a closure's result.
///
/// If the closure runs again, the last result is used.
final class Kept<T: Sendable>: Sendable {
    private let value = Mutex<T?>(nil)

    func keep(_ result: T) {
        value.withLock { $0 = result }
    }

    func get() throws -> T {
        guard let result = value.withLock({ $0 }) else {
            throw AccountStoreSuite.Failure(reason: "the store returned without having run the closure")
        }
        return result
    }
}
