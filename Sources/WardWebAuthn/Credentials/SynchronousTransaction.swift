#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
internal import Synchronization

/// Runs a transaction's body to its end on the calling thread.
///
/// Use it in stores with synchronous transactions, such as SQLite or a dictionary behind a lock. Their calls never
/// suspend, so a body that uses only the transaction never suspends either.
///
/// ```swift
/// func withTransaction<T: Sendable>(
/// _ body: @escaping @Sendable (Transaction) async throws -> T
/// ) async throws -> T {
/// try await database.write { try runSynchronously(body, with: Transaction($0)) }
/// }
/// ```
///
/// - Parameters:
///   - body: The body. If it waits for anything else, this function throws and the body continues by itself, so a
///     transaction must refuse calls after its end. A body whose wait is over before it begins stays in its thread, and is not refused.
///   - transaction: The transaction that the body works with.
/// - Returns: The body's result.
/// - Throws: The body's errors, or ``SuspendedTransactionError`` if the body waited for anything but the transaction.
public func runSynchronously<Transaction, T: Sendable>(
    _ body: @escaping @Sendable (Transaction) async throws -> T,
    with transaction: Transaction
) throws -> T {
    let outcome = Outcome<T>()
    let handed = Handed(transaction: transaction)
    Task.immediate {
        do { outcome.keep(.success(try await body(handed.transaction))) } catch { outcome.keep(.failure(error)) }
    }
    guard let result = outcome.result else { throw SuspendedTransactionError() }
    return try result.get()
}

/// The error for a body that waits inside a synchronous transaction.
///
/// None of its writes may be committed.
public struct SuspendedTransactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, and the next step.
    public var description: String {
        "the transaction's closure waited for something else: do that before, and use only the transaction inside"
    }

    /// Creates the error.
    public init() {}
}

/// The result of a body that never left its thread.
private final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)
    private let thread = currentThread

    var result: Result<T, any Error>? { value.withLock { $0 } }

    /// Keeps a result, unless the body waited.
    ///
    /// A body that waits goes on in another thread, because this one is busy. It can be at its end before the caller looks.
    func keep(_ result: Result<T, any Error>) {
        guard currentThread == thread else { return }
        value.withLock { $0 = result }
    }
}

private var currentThread: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    unsafe UInt(bitPattern: pthread_self())
    #endif
}

/// Passes a transaction to the task that runs on this thread.
///
/// Until the task ends or suspends, no other code runs; after a suspension only the task has the transaction.
private struct Handed<Transaction>: @unchecked Sendable {
    let transaction: Transaction
}
