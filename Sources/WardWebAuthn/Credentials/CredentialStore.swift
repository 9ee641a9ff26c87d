/// A store for ceremonies and credentials.
///
/// Each call is one transaction: if the body returns, all of its writes are stored; if it throws, none is. A
/// transaction never sees the intermediate state of another one.
public protocol CredentialStore: Sendable {
    /// The type that the body works with.
    associatedtype Transaction: CredentialTransaction

    /// Runs the body in one transaction.
    ///
    /// A database with synchronous transactions runs the body with ``runSynchronously(_:with:)``.
    ///
    /// - Parameter body: The work. It reads and writes through the transaction and waits for nothing else, because
    ///   other transactions may wait for it. The store may run it on another thread, and again from the start after a
    ///   conflict with another writer.
    /// - Returns: The body's result, after it is durable.
    /// - Throws: The body's errors, or the store's errors.
    func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> T
    ) async throws -> T
}
