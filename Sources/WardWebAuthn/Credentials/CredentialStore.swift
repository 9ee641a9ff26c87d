/// Where ceremonies and credentials are kept.
///
/// One call is one trip and one transaction: what the body did is kept as a whole when it returns, and undone as a whole
/// when it throws. Two transactions never see each other half done.
public protocol CredentialStore: Sendable {
    /// What the body works with.
    associatedtype Transaction: CredentialTransaction

    /// Runs the body in one transaction.
    ///
    /// - Parameter body: Synchronous work; it may be run on another thread.
    /// - Returns: What the body returned, after it is durable.
    /// - Throws: What the body threw, or what the store throws when it cannot answer.
    func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T
}
