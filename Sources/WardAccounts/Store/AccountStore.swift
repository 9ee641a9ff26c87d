public import WardWebAuthn

/// A store for accounts, passkeys, ceremonies and sessions.
///
/// Do everything that belongs together in one closure: a closure is one transaction, however many calls it makes. The
/// relying party's ceremonies use these transactions too.
///
/// ```swift
/// let renamed = try await store.write { tx in
/// guard let account = try await tx.account(id: id) else { return false }
/// return try await tx.renamePasskey(credentialID: passkey, of: account.id, to: name)
/// }
/// ```
///
/// An asynchronous database suspends in its calls and blocks no thread. A synchronous database has methods without
/// `async`, and runs the closures with `runSynchronously(_:with:)`.
///
/// Every store has these properties, and `AccountStoreSuite` of `WardTesting` checks them:
/// - **Serialised**: writing closures have the effect of running one after the other, in some order.
/// - **Atomic**: a closure that throws changes nothing. When a closure has returned, its changes are on stable storage
///   before the caller continues. After a crash they are there, and no part of an unfinished closure is.
/// - **Latest writes visible**: a closure sees all changes of closures that returned before it was passed in.
/// - **Snapshot**: a reading closure sees one state, even during writes.
public protocol AccountStore: CredentialStore where Transaction: AccountTransaction {
    /// Runs a closure that only reads.
    ///
    /// Reading closures run in parallel with each other and with one writing closure. If the closure tries to write,
    /// the call throws ``StoreError/Code/unavailable`` and nothing is written.
    ///
    /// - Parameter body: The reads. It must not keep the transaction. It may run more than once, so it must only read
    ///   and compute.
    /// - Returns: The closure's result.
    /// - Throws: The closure's errors, or a ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T

    /// Runs a closure in one transaction and commits it, or rolls it back if the closure throws.
    ///
    /// - Parameter body: The reads and writes. It must not keep the transaction, and must wait only for the
    ///   transaction's calls, because other writers wait for it. A store may run it again from the start after a
    ///   conflict with another writer, so it must only read, compute and write.
    /// - Returns: The closure's result, after the commit.
    /// - Throws: The closure's errors, after everything was rolled back; or a ``StoreError`` if the store could not
    ///   begin or commit, and then nothing was written either.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T

    /// Checks that the store can write now, and that the written data stays.
    ///
    /// A store in a file checks that the file still exists at its path.
    ///
    /// - Throws: ``StoreError`` if it cannot.
    func probe() async throws
}

extension AccountStore {
    /// Begins and commits a transaction.
    public func probe() async throws {
        try await write { _ = try await $0.secret(named: "probe") }
    }

    /// Runs a body of the relying party in one writing transaction.
    public func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try await write(body)
    }
}
