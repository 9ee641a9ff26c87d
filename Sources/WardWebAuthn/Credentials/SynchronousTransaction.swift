internal import Synchronization

/// Runs a transaction's body to its end on the calling thread.
///
/// For stores whose transactions are synchronous, such as SQLite or a dictionary behind a lock. Their calls never suspend, so
/// a body that only asks, computes and writes never does either, and nothing is waited for.
///
/// ```swift
/// func withTransaction<T: Sendable>(
///     _ body: @escaping @Sendable (Transaction) async throws -> T
/// ) async throws -> T {
///     try await database.write { try runSynchronously(body, with: Transaction($0)) }
/// }
/// ```
///
/// - Parameters:
///   - body: The body. One that waits for anything else goes on by itself after this has thrown: a transaction must refuse
///     what is asked of it after its end.
///   - transaction: What the body works with.
/// - Returns: What the body returned.
/// - Throws: What the body threw, or ``SuspendedTransactionError`` when it waited for anything but the transaction.
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

/// A body that waited for something in a transaction that runs synchronously; nothing of it may be committed.
public struct SuspendedTransactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do instead.
    public var description: String {
        "the transaction's closure waited for something: read it before, and only ask the transaction inside"
    }

    /// Reports it.
    public init() {}
}

private final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)

    var result: Result<T, any Error>? { value.withLock { $0 } }

    func keep(_ result: Result<T, any Error>) { value.withLock { $0 = result } }
}

/// Carries a transaction into the task that runs on this very thread: until the task ends or suspends nobody else goes on,
/// and after a suspension only the task has it.
private struct Handed<Transaction>: @unchecked Sendable {
    let transaction: Transaction
}
