/// Where ceremonies and credentials are kept.
///
/// One call is one trip and one transaction: what the body did is kept as a whole when it returns, and undone as a whole
/// when it throws. Two transactions never see each other half done.
public protocol CredentialStore: Sendable {
    /// What the body works with.
    associatedtype Transaction: CredentialTransaction

    /// Runs the body in one transaction.
    ///
    /// A database whose transactions are synchronous runs the body with ``runSynchronously(_:with:)``.
    ///
    /// - Parameter body: The work: it asks the transaction, computes and writes, and waits for nothing else, because others
    ///   may wait for it. It may be run on another thread, and again from the start when the store lost against another
    ///   writer.
    /// - Returns: What the body returned, after it is durable.
    /// - Throws: What the body threw, or what the store throws when it cannot answer.
    func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> T
    ) async throws -> T
}
