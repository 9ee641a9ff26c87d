import Synchronization
public import WardAccounts
import WardWebAuthn

/// A store in memory for accounts, for tests of code that needs a store.
///
/// The data is lost when the process ends.
///
/// It behaves like every other store, including rollback, but each writing transaction copies all records. So use it
/// for thousands of records, not for millions.
public final class MemoryAccountStore: AccountStore {
    /// The transaction that closures get.
    public typealias Transaction = MemoryTransaction

    private let records: Mutex<MemoryRecords>

    /// Creates an empty store.
    public init() { records = Mutex(MemoryRecords()) }

    private init(_ records: MemoryRecords) { self.records = Mutex(records) }

    /// A store of its own that has the same records now.
    package func copy() -> MemoryAccountStore { MemoryAccountStore(records.withLock { $0 }) }

    /// Runs a closure that only reads, in parallel with others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T {
        try Task.checkCancellation()
        // The closure gets a copy, so that readers do not wait for each other and do not see later writes.
        return try runSynchronously(body, with: MemoryTransaction(records.withLock { $0 }, isWritable: false))
    }

    /// Runs a closure in one transaction.
    ///
    /// Transactions run one after the other.
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

/// All records of a memory store.
///
/// It is a value, so a transaction works on a copy.
struct MemoryRecords: Sendable {
    var ceremonies: [[UInt8]: CeremonyRecord] = [:]
    /// Until when each use of a ceremony is kept.
    var uses: [[UInt8]: Int64] = [:]
    var accounts: [AccountID: Account] = [:]
    /// Accounts by mapped name.
    ///
    /// Names are compared scalar by scalar, as databases do.
    var accountsByName: [[UInt8]: AccountID] = [:]
    var accountsByHandle: [UserHandle: AccountID] = [:]
    var upgradeCounts: [UpgradePlace: Int64] = [:]
    var offers: [AccountID: OfferRecord] = [:]
    /// When each password was last used.
    var passwordUses: [AccountID: Int64] = [:]
    var passkeys: [CredentialID: Passkey] = [:]
    var passwords: [AccountID: PasswordRecord] = [:]
    var sessions: [SessionID: Session] = [:]
    var sessionsByHash: [[UInt8]: SessionID] = [:]
    var appSessions: [[UInt8]: AppSession] = [:]
    var invitations: [[UInt8]: Invitation] = [:]
    var adminTokens: [[UInt8]: AdminToken] = [:]
    var recoveryLinks: [RecoveryPlace: RecoveryLink] = [:]
    var factors: [FactorPlace: FactorRecord] = [:]
    var helpers: [[UInt8]: RecoveryHelper] = [:]
    var helpRequests: [AccountID: HelpRequest] = [:]
    var emails: [AccountID: AccountEmail] = [:]
    var mails: [[UInt8]: OutboxMail] = [:]
    var mailLinks: [[UInt8]: MailLink] = [:]
    var webhooks: [Int64: OutboxWebhook] = [:]
    var webhookPosition: Int64?
    var attempts: [[UInt8]: AttemptCount] = [:]
    var audit: [AuditEntry] = []
    var auditCheckpoint: AuditSeal?
    var secrets: [[UInt8]: [UInt8]] = [:]
    /// By ID, compared scalar by scalar as in databases.
    var clients: [[UInt8]: OAuthClient] = [:]
    var consents: [OAuthConsent] = []
    var grants: [[UInt8]: OAuthGrant] = [:]
    var tokens: [[UInt8]: OAuthToken] = [:]
    var devices: [[UInt8]: DeviceAuthorization] = [:]
    var idTokenKeys: [[UInt8]: IDTokenKey] = [:]
}
