internal import Synchronization
public import WardAccounts
public import WardWebAuthn

/// Accounts in memory behind calls that all suspend: what a database over a network is like.
///
/// Between any two calls of a transaction others run. A writing transaction works on what it found when it began; one that
/// finds at its end that another has committed meanwhile runs again from the start, as databases do that detect conflicts.
public final class SuspendingAccountStore: AccountStore {
    /// What closures ask their questions of.
    public typealias Transaction = SuspendingTransaction

    private struct State {
        var records = MemoryRecords()
        var version = 0
    }

    private let state = Mutex(State())
    private let lost = Atomic(0)

    /// Starts with nothing in it.
    public init() {}

    /// How many transactions ran again because another was faster.
    public var conflictCount: Int { lost.load(ordering: .relaxed) }

    /// Runs a closure that only asks, beside others.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T {
        try Task.checkCancellation()
        let records = state.withLock { $0.records }
        await Task.yield()
        return try await body(SuspendingTransaction(MemoryTransaction(records, isWritable: false)))
    }

    /// Runs a closure in one transaction of its own, as often as it takes to commit it.
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

/// What closures passed to ``SuspendingAccountStore`` ask their questions of: every call suspends before it answers.
public final class SuspendingTransaction: AccountTransaction {
    private let base: MemoryTransaction

    init(_ base: MemoryTransaction) {
        self.base = base
    }

    private func afterwards<T>(_ work: () throws -> T) async rethrows -> T {
        await Task.yield()
        return try work()
    }

    /// Keeps a ceremony until it is taken or swept.
    public func insert(_ ceremony: CeremonyRecord) async throws {
        try await afterwards { try base.insert(ceremony) }
    }

    /// Reads a ceremony and deletes it, in one step.
    public func takeCeremony(id: [UInt8]) async throws -> CeremonyRecord? {
        try await afterwards { try base.takeCeremony(id: id) }
    }

    /// Deletes the ceremonies nobody answered.
    @discardableResult
    public func deleteExpiredCeremonies(before time: Int64) async throws -> Int {
        try await afterwards { try base.deleteExpiredCeremonies(before: time) }
    }

    /// Makes an account.
    public func insert(_ account: Account) async throws {
        try await afterwards { try base.insert(account) }
    }

    /// Looks an account up by its identifier.
    public func account(id: AccountID) async throws -> Account? {
        try await afterwards { try base.account(id: id) }
    }

    /// Looks an account up by the mapped form of its name.
    public func account(username mapped: String) async throws -> Account? {
        try await afterwards { try base.account(username: mapped) }
    }

    /// Looks an account up by what authenticators know it by.
    public func account(userHandle: UserHandle) async throws -> Account? {
        try await afterwards { try base.account(userHandle: userHandle) }
    }

    /// Writes what can change of an account.
    @discardableResult
    public func update(_ account: Account) async throws -> Bool {
        try await afterwards { try base.update(account) }
    }

    /// Deletes an account with its password and all its passkeys and sessions.
    @discardableResult
    public func deleteAccount(id: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteAccount(id: id) }
    }

    /// Adds a passkey to an account.
    public func insert(_ passkey: Passkey) async throws {
        try await afterwards { try base.insert(passkey) }
    }

    /// Looks a passkey up by its credential ID, whoever owns it.
    public func passkey(credentialID: CredentialID) async throws -> Passkey? {
        try await afterwards { try base.passkey(credentialID: credentialID) }
    }

    /// Lists an account's passkeys, oldest first.
    public func passkeys(of account: AccountID) async throws -> [Passkey] {
        try await afterwards { try base.passkeys(of: account) }
    }

    /// Counts an account's passkeys.
    public func passkeyCount(of account: AccountID) async throws -> Int {
        try await afterwards { try base.passkeyCount(of: account) }
    }

    /// Writes what a sign-in changes.
    @discardableResult
    public func update(_ passkey: Passkey) async throws -> Bool {
        try await afterwards { try base.update(passkey) }
    }

    /// Renames a passkey, if that account owns it.
    public func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) async throws -> Bool {
        try await afterwards { try base.renamePasskey(credentialID: credentialID, of: account, to: name) }
    }

    /// Deletes a passkey, if that account owns it.
    public func deletePasskey(credentialID: CredentialID, of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deletePasskey(credentialID: credentialID, of: account) }
    }

    /// Looks up an account's password.
    public func password(of account: AccountID) async throws -> PasswordRecord? {
        try await afterwards { try base.password(of: account) }
    }

    /// Gives an account a password, in place of the one it may have.
    public func setPassword(_ password: PasswordRecord) async throws {
        try await afterwards { try base.setPassword(password) }
    }

    /// Takes an account's password away.
    @discardableResult
    public func deletePassword(of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deletePassword(of: account) }
    }

    /// Begins a session.
    public func insert(_ session: Session) async throws {
        try await afterwards { try base.insert(session) }
    }

    /// Looks a session up by the hash of its token, expired or not.
    public func session(tokenHash: [UInt8]) async throws -> Session? {
        try await afterwards { try base.session(tokenHash: tokenHash) }
    }

    /// Lists an account's sessions, oldest first.
    public func sessions(of account: AccountID) async throws -> [Session] {
        try await afterwards { try base.sessions(of: account) }
    }

    /// Notes that a session's browser was heard of.
    @discardableResult
    public func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) async throws -> Bool {
        try await afterwards { try base.touchSession(id: id, lastSeenAt: lastSeenAt, idleExpiresAt: idleExpiresAt) }
    }

    /// Ends a session, if it is that account's.
    public func deleteSession(id: SessionID, of account: AccountID) async throws -> Bool {
        try await afterwards { try base.deleteSession(id: id, of: account) }
    }

    /// Ends the session a token belongs to.
    @discardableResult
    public func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteSession(tokenHash: tokenHash) }
    }

    /// Deletes the sessions that are over.
    @discardableResult
    public func deleteExpiredSessions(at now: Int64) async throws -> Int {
        try await afterwards { try base.deleteExpiredSessions(at: now) }
    }

    /// Reads a secret of the service itself.
    public func secret(named name: String) async throws -> [UInt8]? {
        try await afterwards { try base.secret(named: name) }
    }

    /// Keeps a secret unless there is one of that name.
    @discardableResult
    public func insertSecret(named name: String, _ bytes: [UInt8]) async throws -> [UInt8] {
        try await afterwards { try base.insertSecret(named: name, bytes) }
    }
}

// A transaction belongs to the closure it was passed to.
@available(*, unavailable)
extension SuspendingTransaction: Sendable {}
