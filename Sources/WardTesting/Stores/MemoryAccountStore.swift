import Synchronization
public import WardAccounts
import WardWebAuthn

/// Accounts in memory, lost when the process ends, for tests of code that needs a store.
///
/// It behaves like every other store, including rollback, but each writing transaction copies all records. So use it
/// for thousands of records, not for millions.
public final class MemoryAccountStore: AccountStore {
    /// The transaction that closures get.
    public typealias Transaction = MemoryTransaction

    private let records = Mutex(MemoryRecords())

    /// Creates an empty store.
    public init() {}

    /// Runs a closure that only reads, in parallel with others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T {
        try Task.checkCancellation()
        // A copy, so that readers do not wait for each other and do not see later writes.
        return try runSynchronously(body, with: MemoryTransaction(records.withLock { $0 }, isWritable: false))
    }

    /// Runs a closure in one transaction, one after the other.
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

/// All records of a memory store; a value, so that a transaction is a copy.
struct MemoryRecords: Sendable {
    var ceremonies: [[UInt8]: CeremonyRecord] = [:]
    var accounts: [AccountID: Account] = [:]
    /// By mapped name, compared scalar by scalar as in databases.
    var accountsByName: [[UInt8]: AccountID] = [:]
    var accountsByHandle: [UserHandle: AccountID] = [:]
    var passkeys: [CredentialID: Passkey] = [:]
    var passwords: [AccountID: PasswordRecord] = [:]
    var sessions: [SessionID: Session] = [:]
    var sessionsByHash: [[UInt8]: SessionID] = [:]
    var appSessions: [[UInt8]: AppSession] = [:]
    var invitations: [[UInt8]: Invitation] = [:]
    var recoveryLinks: [AccountID: RecoveryLink] = [:]
    var attempts: [[UInt8]: AttemptCount] = [:]
    var audit: [AuditEntry] = []
    var auditCheckpoint: AuditSeal?
    var secrets: [[UInt8]: [UInt8]] = [:]
}
