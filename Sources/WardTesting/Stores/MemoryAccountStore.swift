import Synchronization
public import WardAccounts
import WardWebAuthn

/// Accounts in memory, gone with the process: for tests of whatever needs a store.
///
/// Behaves like every other store, rollback included, but copies what it holds for each transaction that writes: it is
/// meant for thousands of records, not for millions.
public final class MemoryAccountStore: AccountStore {
    /// What closures ask their questions of.
    public typealias Transaction = MemoryTransaction

    private let records = Mutex(MemoryRecords())

    /// Starts with nothing in it.
    public init() {}

    /// Runs a closure that only asks, beside others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T {
        try Task.checkCancellation()
        // A copy, so that readers neither wait for each other nor see what is written meanwhile.
        return try runSynchronously(body, with: MemoryTransaction(records.withLock { $0 }, isWritable: false))
    }

    /// Runs a closure in one transaction of its own, one after the other.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T
    {
        try Task.checkCancellation()
        return try records.withLock { records in
            let transaction = MemoryTransaction(records, isWritable: true)
            let result = try runSynchronously(body, with: transaction)
            records = transaction.records
            return result
        }
    }
}

/// Everything a memory store holds; a value, so that a transaction is a copy.
struct MemoryRecords: Sendable {
    var ceremonies: [[UInt8]: CeremonyRecord] = [:]
    var accounts: [AccountID: Account] = [:]
    /// By mapped name, compared scalar by scalar as databases do.
    var accountsByName: [[UInt8]: AccountID] = [:]
    var accountsByHandle: [UserHandle: AccountID] = [:]
    var passkeys: [CredentialID: Passkey] = [:]
    var passwords: [AccountID: PasswordRecord] = [:]
    var sessions: [SessionID: Session] = [:]
    var sessionsByHash: [[UInt8]: SessionID] = [:]
    var secrets: [[UInt8]: [UInt8]] = [:]
}
