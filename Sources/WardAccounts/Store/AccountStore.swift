public import WardWebAuthn

/// Somewhere accounts, passkeys, ceremonies and sessions are kept.
///
/// Ask for everything that belongs together in one closure: a closure is one trip and one transaction, however many calls
/// it makes. The relying party's ceremonies run in these transactions too.
///
/// ```swift
/// let renamed = try await store.write { tx in
///     guard let account = try await tx.account(id: id) else { return false }
///     return try await tx.renamePasskey(credentialID: passkey, of: account.id, to: name)
/// }
/// ```
///
/// A database that answers over a network suspends in its calls and blocks no thread. One that answers at once has methods
/// without `async`, and runs the closures with `runSynchronously(_:with:)`.
///
/// What every store promises, and `AccountStoreSuite` of `WardTesting` checks:
/// - **Serialised**: writing closures have the effect of running one after the other, in some order.
/// - **All or nothing**: a closure that throws leaves nothing behind. One that returns has its changes on stable
///   storage by the time the caller goes on; after a crash they are there, and no part of an unfinished one is.
/// - **Last write seen**: a closure sees everything of the closures that had returned before it was passed in.
/// - **Stable view**: a reading closure sees one state, whatever is written meanwhile.
public protocol AccountStore: CredentialStore where Transaction: AccountTransaction {
    /// Runs a closure that only asks.
    ///
    /// Any number of these run beside each other and beside one writing closure. A closure that tries to write here
    /// gets ``StoreError/Code/unavailable``, and nothing is written.
    ///
    /// - Parameter body: The questions; must not keep the transaction. May run more than once, so it must do nothing
    ///   but ask and compute.
    /// - Returns: What the closure returned.
    /// - Throws: Whatever the closure threw, or a ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T

    /// Runs a closure in one transaction of its own and commits it, or rolls it back if the closure throws.
    ///
    /// - Parameter body: The questions and changes; must not keep the transaction and must wait for nothing but
    ///   the transaction's own calls, because other writers wait for it. A store may run it again from the start when it lost against another
    ///   writer, so it must do nothing but ask, compute and write.
    /// - Returns: What the closure returned, once it is committed.
    /// - Throws: Whatever the closure threw, after everything was rolled back; or a ``StoreError`` if the store could
    ///   not begin or commit, and then nothing was written either.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T
}

extension AccountStore {
    /// Runs a ceremony's part in one writing transaction.
    public func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try await write(body)
    }
}
