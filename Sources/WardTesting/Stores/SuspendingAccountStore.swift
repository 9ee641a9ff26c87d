internal import Synchronization
public import WardAccounts
public import WardWebAuthn

/// Accounts in memory.
///
/// All calls suspend, as with a database over a network.
///
/// Between two calls of a transaction, other transactions can run. A writing transaction works on the state at its start. If
/// another one has committed in the meantime, it runs again from the start, as in databases with conflict detection.
public final class SuspendingAccountStore: AccountStore {
    /// The transaction that closures get.
    public typealias Transaction = SuspendingTransaction

    private struct State {
        var records = MemoryRecords()
        var version = 0
    }

    private let state = Mutex(State())
    private let lost = Atomic(0)

    /// Creates an empty store.
    public init() {}

    /// The number of transactions that ran again after a conflict.
    public var conflictCount: Int { lost.load(ordering: .relaxed) }

    /// Runs a closure that only reads, in parallel with others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T {
        try Task.checkCancellation()
        let records = state.withLock { $0.records }
        await Task.yield()
        return try await body(SuspendingTransaction(MemoryTransaction(records, isWritable: false)))
    }

    /// Runs a closure in one transaction, as many times as necessary to commit it.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T {
        while true {
            try Task.checkCancellation()
            let (records, version) = state.withLock { ($0.records, $0.version) }
            await Task.yield()
            let transaction = MemoryTransaction(records, isWritable: true)
            let result = try await body(SuspendingTransaction(transaction))
            await Task.yield()
            let written = transaction.records
            let isCommitted = state.withLock { state in
                guard state.version == version else { return false }
                state = State(records: written, version: version + 1)
                return true
            }
            if isCommitted { return result }
            lost.add(1, ordering: .relaxed)
        }
    }
}

/// The transaction that closures of ``SuspendingAccountStore`` get.
///
/// Every call suspends before it returns.
public final class SuspendingTransaction: AccountTransaction {
    let base: MemoryTransaction

    init(_ base: MemoryTransaction) {
        self.base = base
    }

    func afterwards<T>(_ work: () throws -> T) async rethrows -> T {
        await Task.yield()
        return try work()
    }

    /// Stores a ceremony until it is taken or expires.
    public func insert(_ ceremony: CeremonyRecord) async throws {
        try await afterwards { try base.insert(ceremony) }
    }

    /// Reads and deletes a ceremony in one step.
    public func takeCeremony(id: [UInt8]) async throws -> CeremonyRecord? {
        try await afterwards { try base.takeCeremony(id: id) }
    }

    /// Deletes expired ceremonies.
    @discardableResult
    public func deleteExpiredCeremonies(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredCeremonies(before: time, limit: limit) }
    }

    /// Stores that a ceremony which the page kept was answered.
    public func insertUse(_ use: [UInt8], until time: Int64) async throws -> Bool {
        try await afterwards { try base.insertUse(use, until: time) }
    }

    /// Deletes uses that are no longer kept.
    @discardableResult
    public func deleteExpiredUses(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredUses(before: time, limit: limit) }
    }

    /// The number of ceremonies in the store.
    public func ceremonyCount() async throws -> Int {
        try await afterwards { try base.ceremonyCount() }
    }

    /// Creates an account.
    public func insert(_ account: Account) async throws {
        try await afterwards { try base.insert(account) }
    }

    /// Finds an account by its ID.
    public func account(id: AccountID) async throws -> Account? {
        try await afterwards { try base.account(id: id) }
    }

    /// Finds an account by the mapped form of its name.
    public func account(username mapped: String) async throws -> Account? {
        try await afterwards { try base.account(username: mapped) }
    }

    /// Finds an account by its user handle.
    public func account(userHandle: UserHandle) async throws -> Account? {
        try await afterwards { try base.account(userHandle: userHandle) }
    }

    /// A sample of the accounts.
    public func accounts(limit: Int) async throws -> [Account] {
        try await afterwards { try base.accounts(limit: limit) }
    }

    /// The accounts in the order of the mapped forms of their names, in pages.
    public func accounts(after mapped: String?, limit: Int) async throws -> [Account] {
        try await afterwards { try base.accounts(after: mapped, limit: limit) }
    }

    /// The accounts whose names have a prefix, in pages.
    public func accounts(withPrefix prefix: String, after mapped: String?, limit: Int) async throws -> [Account] {
        try await afterwards { try base.accounts(withPrefix: prefix, after: mapped, limit: limit) }
    }

    /// Updates an account's names.
    @discardableResult
    public func update(_ account: Account) async throws -> Bool {
        try await afterwards { try base.update(account) }
    }

    /// Disables an account, or enables it again.
    @discardableResult
    public func setAccount(id: AccountID, disabledAt time: Int64?) async throws -> Bool {
        try await afterwards { try base.setAccount(id: id, disabledAt: time) }
    }

    /// Sets the groups of an account.
    @discardableResult
    public func setAccount(id: AccountID, groups: [GroupName]) async throws -> Bool {
        try await afterwards { try base.setAccount(id: id, groups: groups) }
    }

    /// Deletes an account with its password, passkeys and sessions.
    @discardableResult
    public func deleteAccount(id: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteAccount(id: id) }
    }

    /// Adds a passkey to an account.
    public func insert(_ passkey: Passkey) async throws {
        try await afterwards { try base.insert(passkey) }
    }

    /// Finds a passkey of any account by its credential ID.
    public func passkey(credentialID: CredentialID) async throws -> Passkey? {
        try await afterwards { try base.passkey(credentialID: credentialID) }
    }

    /// Lists an account's passkeys, oldest first.
    public func passkeys(of account: AccountID) async throws -> [Passkey] {
        try await afterwards { try base.passkeys(of: account) }
    }

    /// Stores the changes of a sign-in.
    @discardableResult
    public func update(_ passkey: Passkey) async throws -> Bool {
        try await afterwards { try base.update(passkey) }
    }

    /// Renames a passkey if the account owns it.
    public func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) async throws -> Bool {
        try await afterwards { try base.renamePasskey(credentialID: credentialID, of: account, to: name) }
    }

    /// Deletes a passkey if the account owns it.
    public func deletePasskey(credentialID: CredentialID, of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deletePasskey(credentialID: credentialID, of: account) }
    }

    /// Finds an account's password.
    public func password(of account: AccountID) async throws -> PasswordRecord? {
        try await afterwards { try base.password(of: account) }
    }

    /// Sets an account's password and replaces an existing one.
    public func setPassword(_ password: PasswordRecord) async throws {
        try await afterwards { try base.setPassword(password) }
    }

    /// Deletes an account's password.
    @discardableResult
    public func deletePassword(of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deletePassword(of: account) }
    }

    /// Begins a session.
    public func insert(_ session: Session) async throws {
        try await afterwards { try base.insert(session) }
    }

    /// Finds a session by the hash of its token, even if it has expired.
    public func session(tokenHash: [UInt8]) async throws -> Session? {
        try await afterwards { try base.session(tokenHash: tokenHash) }
    }

    /// Finds a session by its ID, even if it has expired.
    public func session(id: SessionID) async throws -> Session? {
        try await afterwards { try base.session(id: id) }
    }

    /// Lists an account's sessions, oldest first.
    public func sessions(of account: AccountID) async throws -> [Session] {
        try await afterwards { try base.sessions(of: account) }
    }

    /// Records the use of a session.
    @discardableResult
    public func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) async throws -> Bool {
        try await afterwards { try base.touchSession(id: id, lastSeenAt: lastSeenAt, idleExpiresAt: idleExpiresAt) }
    }

    /// Binds a session to the key of a device, unless it is already bound.
    public func bindSession(id: SessionID, to binding: SessionBinding) async throws -> Bool {
        try await afterwards { try base.bindSession(id: id, to: binding) }
    }

    /// Counts a proof of a session's device, unless another proof came first.
    public func countProof(ofSession id: SessionID, after count: Int64) async throws -> Bool {
        try await afterwards { try base.countProof(ofSession: id, after: count) }
    }

    /// Ends a session if it belongs to the account.
    public func deleteSession(id: SessionID, of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteSession(id: id, of: account) }
    }

    /// Ends the session of a token.
    @discardableResult
    public func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteSession(tokenHash: tokenHash) }
    }

    /// Ends the least important sessions of an account, until it has no more than the given number.
    @discardableResult
    public func deleteOldestSessions(of account: AccountID, keeping limit: Int) async throws -> Int {
        try await afterwards { try base.deleteOldestSessions(of: account, keeping: limit) }
    }

    /// Deletes expired sessions.
    @discardableResult
    public func deleteExpiredSessions(at now: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredSessions(at: now, limit: limit) }
    }

    /// Begins a session at an app's host.
    public func insert(_ session: AppSession) async throws {
        try await afterwards { try base.insert(session) }
    }

    /// Finds a session at an app's host by the hash of its token.
    public func appSession(tokenHash: [UInt8]) async throws -> AppSession? {
        try await afterwards { try base.appSession(tokenHash: tokenHash) }
    }

    /// Stores an invitation until it is used or expires.
    public func insert(_ invitation: Invitation) async throws {
        try await afterwards { try base.insert(invitation) }
    }

    /// Finds an invitation by the hash of its token.
    public func invitation(tokenHash: [UInt8]) async throws -> Invitation? {
        try await afterwards { try base.invitation(tokenHash: tokenHash) }
    }

    /// The newest invitations.
    public func invitations(limit: Int) async throws -> [Invitation] {
        try await afterwards { try base.invitations(limit: limit) }
    }

    /// Deletes an invitation that is being used.
    @discardableResult
    public func deleteInvitation(tokenHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteInvitation(tokenHash: tokenHash) }
    }

    /// Deletes expired invitations.
    @discardableResult
    public func deleteExpiredInvitations(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredInvitations(before: time, limit: limit) }
    }

    /// Stores an account's recovery link and replaces an existing one.
    public func setRecoveryLink(_ link: RecoveryLink) async throws {
        try await afterwards { try base.setRecoveryLink(link) }
    }

    /// Finds a recovery link by the hash of its token.
    public func recoveryLink(tokenHash: [UInt8]) async throws -> RecoveryLink? {
        try await afterwards { try base.recoveryLink(tokenHash: tokenHash) }
    }

    /// The recovery links of an account.
    public func recoveryLinks(of account: AccountID) async throws -> [RecoveryLink] {
        try await afterwards { try base.recoveryLinks(of: account) }
    }

    /// Deletes an account's recovery link.
    @discardableResult
    public func deleteRecoveryLink(of account: AccountID, from source: RecoveryLink.Source) async throws -> Bool {
        try await afterwards { try base.deleteRecoveryLink(of: account, from: source) }
    }

    /// Reads a count of attempts.
    public func attempts(_ key: [UInt8]) async throws -> AttemptCount? {
        try await afterwards { try base.attempts(key) }
    }

    /// Writes a count of attempts and replaces an earlier one.
    public func setAttempts(_ attempts: AttemptCount) async throws {
        try await afterwards { try base.setAttempts(attempts) }
    }

    /// Deletes a count of attempts.
    @discardableResult
    public func deleteAttempts(_ key: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteAttempts(key) }
    }

    /// Deletes counts of attempts that have ended.
    @discardableResult
    public func deleteExpiredAttempts(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredAttempts(before: time, limit: limit) }
    }

    /// Deletes counts until no more than the given number are left: those with the fewest and oldest attempts first.
    @discardableResult
    public func deleteSurplusAttempts(keeping most: Int, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteSurplusAttempts(keeping: most, limit: limit) }
    }

    /// Adds a row to the end of the audit log.
    public func append(_ event: AuditEvent) async throws {
        try await afterwards { try base.append(event) }
    }

    /// The end of the audit log.
    public func auditEnd() async throws -> AuditPoint {
        try await afterwards { try base.auditEnd() }
    }

    /// Rows of the audit log, oldest first.
    public func auditEntries(after number: Int64, limit: Int) async throws -> [AuditEntry] {
        try await afterwards { try base.auditEntries(after: number, limit: limit) }
    }

    /// The newest rows of the audit log that are about an account, newest first.
    public func auditEntries(of account: AccountID, limit: Int) async throws -> [AuditEntry] {
        try await afterwards { try base.auditEntries(of: account, limit: limit) }
    }

    /// Whether a row of the audit log says that a passkey was deleted.
    public func wasDeleted(credentialID: CredentialID) async throws -> Bool {
        try await afterwards { try base.wasDeleted(credentialID: credentialID) }
    }

    /// The last row that was deleted because it was old.
    public func auditCheckpoint() async throws -> AuditSeal? {
        try await afterwards { try base.auditCheckpoint() }
    }

    /// Deletes the rows up to a checkpoint.
    ///
    /// The checkpoint replaces them.
    @discardableResult
    public func deleteAuditEntries(through checkpoint: AuditSeal) async throws -> Int {
        try await afterwards { try base.deleteAuditEntries(through: checkpoint) }
    }

    /// Stores a new token of the admin API.
    public func insert(_ token: AdminToken) async throws {
        try await afterwards { try base.insert(token) }
    }

    /// Finds a token of the admin API by its hash.
    public func adminToken(tokenHash: [UInt8]) async throws -> AdminToken? {
        try await afterwards { try base.adminToken(tokenHash: tokenHash) }
    }

    /// All tokens of the admin API, oldest first.
    public func adminTokens() async throws -> [AdminToken] {
        try await afterwards { try base.adminTokens() }
    }

    /// Deletes a token of the admin API.
    @discardableResult
    public func deleteAdminToken(tokenHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteAdminToken(tokenHash: tokenHash) }
    }

    /// Notes the use of a token of the admin API.
    @discardableResult
    public func touchAdminToken(tokenHash: [UInt8], lastUsedAt: Int64) async throws -> Bool {
        try await afterwards { try base.touchAdminToken(tokenHash: tokenHash, lastUsedAt: lastUsedAt) }
    }

    /// How many records the store has.
    public func recordCounts() async throws -> RecordCounts {
        try await afterwards { try base.recordCounts() }
    }

    /// Reads a secret of the service itself.
    public func secret(named name: String) async throws -> [UInt8]? {
        try await afterwards { try base.secret(named: name) }
    }

    /// Stores a secret unless one with this name exists.
    @discardableResult
    public func insertSecret(named name: String, _ bytes: [UInt8]) async throws -> [UInt8] {
        try await afterwards { try base.insertSecret(named: name, bytes) }
    }
}

// This is safe, because only the closure that got the transaction uses it.
@available(*, unavailable)
extension SuspendingTransaction: Sendable {}
