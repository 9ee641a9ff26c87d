public import WardAccounts
public import WardWebAuthn

/// The transaction that closures of ``MemoryAccountStore`` get.
public final class MemoryTransaction: AccountTransaction {
    var records: MemoryRecords
    private let isWritable: Bool

    init(_ records: MemoryRecords, isWritable: Bool) {
        self.records = records
        self.isWritable = isWritable
    }

    // MARK: Accounts

    /// Creates an account.
    public func insert(_ account: Account) throws {
        try beginWriting(account.username.text, account.username.mapped, account.displayName)
        let name = Array(account.username.mapped.utf8)
        guard records.accountsByName[name] == nil else { throw StoreError(.usernameTaken) }
        guard records.accounts[account.id] == nil, records.accountsByHandle[account.userHandle] == nil else {
            throw StoreError(.conflict)
        }
        records.accounts[account.id] = account
        records.accountsByName[name] = account.id
        records.accountsByHandle[account.userHandle] = account.id
    }

    /// Finds an account by its ID.
    public func account(id: AccountID) throws -> Account? {
        records.accounts[id]
    }

    /// Finds an account by the mapped form of its name.
    public func account(username mapped: String) throws -> Account? {
        records.accountsByName[Array(mapped.utf8)].flatMap { records.accounts[$0] }
    }

    /// Finds an account by its user handle.
    public func account(userHandle: UserHandle) throws -> Account? {
        records.accountsByHandle[userHandle].flatMap { records.accounts[$0] }
    }

    /// A sample of the accounts.
    public func accounts(limit: Int) throws -> [Account] {
        let sorted = records.accounts.values.sorted {
            $0.userHandle.bytes.lexicographicallyPrecedes($1.userHandle.bytes)
        }
        return Array(sorted.prefix(max(0, limit)))
    }

    /// The accounts in the order of the mapped forms of their names, in pages.
    public func accounts(after mapped: String?, limit: Int) throws -> [Account] {
        let after = Array((mapped ?? "").utf8)
        let names = records.accountsByName.keys.filter { after.lexicographicallyPrecedes($0) }
        let page = names.sorted { $0.lexicographicallyPrecedes($1) }.prefix(max(0, limit))
        return page.compactMap { records.accountsByName[$0].flatMap { records.accounts[$0] } }
    }

    /// The accounts whose names have a prefix, in the order of the mapped forms of their names, in pages.
    public func accounts(withPrefix prefix: String, after mapped: String?, limit: Int) throws -> [Account] {
        let (prefix, after) = (Array(prefix.utf8), Array((mapped ?? "").utf8))
        let names = records.accountsByName.keys.filter {
            $0.starts(with: prefix) && after.lexicographicallyPrecedes($0)
        }
        let page = names.sorted { $0.lexicographicallyPrecedes($1) }.prefix(max(0, limit))
        return page.compactMap { records.accountsByName[$0].flatMap { records.accounts[$0] } }
    }

    /// Updates an account's names.
    @discardableResult
    public func update(_ account: Account) throws -> Bool {
        try beginWriting(account.username.text, account.username.mapped, account.displayName)
        guard var stored = records.accounts[account.id] else { return false }
        let (old, new) = (Array(stored.username.mapped.utf8), Array(account.username.mapped.utf8))
        guard records.accountsByName[new] == nil || old == new else { throw StoreError(.usernameTaken) }
        stored.username = account.username
        stored.displayName = account.displayName
        records.accounts[account.id] = stored
        records.accountsByName[old] = nil
        records.accountsByName[new] = account.id
        return true
    }

    /// Disables an account, or enables it again.
    @discardableResult
    public func setAccount(id: AccountID, disabledAt time: Int64?) throws -> Bool {
        try beginWriting()
        guard records.accounts[id] != nil else { return false }
        records.accounts[id]?.disabledAt = time
        return true
    }

    /// Sets the groups of an account.
    @discardableResult
    public func setAccount(id: AccountID, groups: [GroupName]) throws -> Bool {
        try beginWriting()
        guard records.accounts[id] != nil else { return false }
        records.accounts[id]?.groups = groups
        return true
    }

    /// Deletes an account with its password, passkeys and sessions.
    @discardableResult
    public func deleteAccount(id: AccountID) throws -> Bool {
        try beginWriting()
        guard let account = records.accounts.removeValue(forKey: id) else { return false }
        records.accountsByName[Array(account.username.mapped.utf8)] = nil
        records.accountsByHandle[account.userHandle] = nil
        for passkey in try passkeys(of: id) { records.passkeys[passkey.record.id] = nil }
        for session in try sessions(of: id) { remove(session) }
        records.passwords[id] = nil
        records.passwordUses[id] = nil
        records.offers[id] = nil
        records.recoveryLinks = records.recoveryLinks.filter { $0.key.account != id }
        records.factors = records.factors.filter { $0.value.accountID != id }
        removeHelpers(of: id)
        records.emails[id] = nil
        records.mailLinks = records.mailLinks.filter { $0.value.accountID != id }
        records.consents.removeAll { $0.accountID == id }
        return true
    }

    // MARK: Passkeys

    /// Adds a passkey to an account.
    public func insert(_ passkey: Passkey) throws {
        try beginWriting(passkey.name, passkey.record.attestationFormat, passkey.record.rpID)
        try beginWriting(passkey.record.transports.map(\.rawValue))
        if let model = passkey.verifiedModel { try beginWriting(model.format) }
        guard records.passkeys[passkey.record.id] == nil else { throw StoreError(.credentialExists) }
        guard records.accounts[passkey.accountID]?.userHandle == passkey.record.userHandle else {
            throw StoreError(.accountNotFound)
        }
        records.passkeys[passkey.record.id] = passkey
    }

    /// Finds a passkey of any account by its credential ID.
    public func passkey(credentialID: CredentialID) throws -> Passkey? {
        records.passkeys[credentialID]
    }

    /// Lists an account's passkeys, oldest first.
    public func passkeys(of account: AccountID) throws -> [Passkey] {
        records.passkeys.values.filter { $0.accountID == account }.sorted { first, second in
            guard first.createdAt == second.createdAt else { return first.createdAt < second.createdAt }
            return first.record.id.bytes.lexicographicallyPrecedes(second.record.id.bytes)
        }
    }

    /// Stores the changes of a sign-in.
    @discardableResult
    public func update(_ passkey: Passkey) throws -> Bool {
        let record = passkey.record
        try beginWriting(record.transports.map(\.rawValue))
        return change(record.id, of: passkey.accountID) { stored in
            stored.record.signCount = record.signCount
            stored.record.uvInitialized = record.uvInitialized
            stored.record.transports = record.transports
            stored.record.backupEligible = record.backupEligible
            stored.record.backedUp = record.backedUp
            stored.lastUsedAt = passkey.lastUsedAt
            stored.succeeds = passkey.succeeds
        }
    }

    /// Renames a passkey if the account owns it.
    public func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) throws -> Bool {
        try beginWriting(name)
        return change(credentialID, of: account) { $0.name = name }
    }

    /// Deletes a passkey if the account owns it.
    ///
    /// Sessions that began with the passkey, or have a proof with it, end.
    public func deletePasskey(credentialID: CredentialID, of account: AccountID) throws -> Bool {
        try beginWriting()
        guard records.passkeys[credentialID]?.accountID == account else { return false }
        records.passkeys[credentialID] = nil
        for session in try sessions(of: account) {
            let isUnknown = session.method == .passkey && session.passkeyProof == nil
            if isUnknown || session.passkeyProof?.credentialID == credentialID { remove(session) }
        }
        return true
    }

    // MARK: Passwords

    /// Finds an account's password.
    public func password(of account: AccountID) throws -> PasswordRecord? {
        records.passwords[account]
    }

    /// Sets an account's password and replaces an existing one.
    public func setPassword(_ password: PasswordRecord) throws {
        try beginWriting(password.hash)
        guard records.accounts[password.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.passwords[password.accountID] = password
    }

    /// Deletes an account's password.
    @discardableResult
    public func deletePassword(of account: AccountID) throws -> Bool {
        try beginWriting()
        records.passwordUses[account] = nil
        return records.passwords.removeValue(forKey: account) != nil
    }

    // MARK: Sessions

    /// Begins a session.
    public func insert(_ session: Session) throws {
        try beginWriting(session.userAgent, session.clientID ?? "")
        guard records.sessions[session.id] == nil, records.sessionsByHash[session.tokenHash] == nil else {
            throw StoreError(.conflict)
        }
        guard records.accounts[session.accountID] != nil else { throw StoreError(.accountNotFound) }
        if let client = session.clientID {
            guard try oauthClient(id: client) != nil else { throw StoreError(.accountNotFound) }
        }
        records.sessions[session.id] = session
        records.sessionsByHash[session.tokenHash] = session.id
    }

    /// Finds a session by the hash of its token, even if it has expired.
    public func session(tokenHash: [UInt8]) throws -> Session? {
        records.sessionsByHash[tokenHash].flatMap { records.sessions[$0] }
    }

    /// Finds a session by its ID, even if it has expired.
    public func session(id: SessionID) throws -> Session? {
        records.sessions[id]
    }

    /// Lists an account's sessions, oldest first.
    public func sessions(of account: AccountID) throws -> [Session] {
        records.sessions.values.filter { $0.accountID == account }.sorted { first, second in
            guard first.createdAt == second.createdAt else { return first.createdAt < second.createdAt }
            return first.id.bytes.lexicographicallyPrecedes(second.id.bytes)
        }
    }

    /// Records the use of a session.
    @discardableResult
    public func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) throws -> Bool {
        try beginWriting()
        guard var session = records.sessions[id] else { return false }
        guard session.lastSeenAt <= lastSeenAt else { return true }
        session.lastSeenAt = lastSeenAt
        session.idleExpiresAt = idleExpiresAt
        records.sessions[id] = session
        return true
    }

    /// Binds a session to the key of a device, unless it is already bound.
    public func bindSession(id: SessionID, to binding: SessionBinding) throws -> Bool {
        try beginWriting()
        guard var session = records.sessions[id], session.binding == nil else { return false }
        session.binding = binding
        records.sessions[id] = session
        return true
    }

    /// Counts a proof of a session's device, unless another proof came first.
    public func countProof(ofSession id: SessionID, after count: Int64) throws -> Bool {
        try beginWriting()
        guard let session = records.sessions[id], let binding = session.binding, binding.proofs == count else {
            return false
        }
        records.sessions[id]?.binding?.proofs = binding.proofs &+ 1
        return true
    }

    /// Ends a session if it belongs to the account.
    public func deleteSession(id: SessionID, of account: AccountID) throws -> Bool {
        try beginWriting()
        guard let session = records.sessions[id], session.accountID == account else { return false }
        remove(session)
        return true
    }

    /// Ends the session of a token.
    @discardableResult
    public func deleteSession(tokenHash: [UInt8]) throws -> Bool {
        try beginWriting()
        guard let session = try session(tokenHash: tokenHash) else { return false }
        remove(session)
        return true
    }

    /// Ends the least important sessions of an account, until it has no more than the given number.
    @discardableResult
    public func deleteOldestSessions(of account: AccountID, keeping limit: Int) throws -> Int {
        try beginWriting()
        let all = try sessions(of: account)
        let inOrder = all.filter { $0.passkeyProof == nil } + all.filter { $0.passkeyProof != nil }
        let surplus = inOrder.prefix(max(0, all.count - max(0, limit)))
        for session in surplus { remove(session) }
        return surplus.count
    }

    /// Deletes expired sessions.
    @discardableResult
    public func deleteExpiredSessions(at now: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.sessions.values.filter { $0.isExpired(at: now) }.prefix(max(0, limit))
        for session in expired { remove(session) }
        return expired.count
    }

    // MARK: Tries

    /// Reads a count of attempts.
    public func attempts(_ key: [UInt8]) throws -> AttemptCount? { records.attempts[key] }

    /// Writes a count of attempts and replaces an earlier one.
    public func setAttempts(_ attempts: AttemptCount) throws {
        try beginWriting()
        records.attempts[attempts.key] = attempts
    }

    /// Deletes a count of attempts.
    @discardableResult
    public func deleteAttempts(_ key: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.attempts.removeValue(forKey: key) != nil
    }

    /// Deletes counts of attempts that have ended.
    @discardableResult
    public func deleteExpiredAttempts(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.attempts.values.filter { $0.expiresAt < time }.prefix(max(0, limit))
        for attempts in expired { records.attempts[attempts.key] = nil }
        return expired.count
    }

    /// Deletes counts until no more than the given number are left: those with the fewest and oldest attempts first.
    @discardableResult
    public func deleteSurplusAttempts(keeping most: Int, limit: Int) throws -> Int {
        try beginWriting()
        let weakest = records.attempts.values.sorted { ($0.count, $0.lastAt) < ($1.count, $1.lastAt) }
        let surplus = weakest.prefix(max(0, min(limit, weakest.count - most)))
        for attempts in surplus { records.attempts[attempts.key] = nil }
        return surplus.count
    }

    // MARK: The audit log

    /// Adds a row to the end of the audit log.
    public func append(_ event: AuditEvent) throws {
        try beginWriting(event.kind.rawValue)
        records.audit.append(try auditEnd().next(event))
    }

    /// The end of the audit log.
    public func auditEnd() throws -> AuditPoint {
        records.audit.last?.point ?? records.auditCheckpoint?.point ?? .start
    }

    /// Rows of the audit log, oldest first.
    public func auditEntries(after number: Int64, limit: Int) throws -> [AuditEntry] {
        Array(records.audit.drop { $0.number <= number }.prefix(max(0, limit)))
    }

    /// The newest rows of the audit log that are about an account, newest first.
    public func auditEntries(of account: AccountID, limit: Int) throws -> [AuditEntry] {
        Array(records.audit.reversed().lazy.filter { $0.event.account == account }.prefix(max(0, limit)))
    }

    /// Whether a row of the audit log says that a passkey was deleted.
    public func wasDeleted(credentialID: CredentialID) throws -> Bool {
        records.audit.contains {
            $0.event.credential == credentialID && AuditEvent.Kind.passkeyEndings.contains($0.event.kind)
        }
    }

    /// The last row that was deleted because it was old.
    public func auditCheckpoint() throws -> AuditSeal? {
        records.auditCheckpoint
    }

    /// Deletes the rows up to a checkpoint.
    ///
    /// The checkpoint replaces them.
    @discardableResult
    public func deleteAuditEntries(through checkpoint: AuditSeal) throws -> Int {
        try beginWriting()
        let count = records.audit.count
        records.audit.removeAll { $0.number <= checkpoint.point.number }
        records.auditCheckpoint = checkpoint
        return count - records.audit.count
    }

    // MARK: The parts

    /// Applies the rules of a database to records in memory.
    func beginWriting(_ texts: String...) throws {
        try beginWriting(texts)
    }

    func beginWriting(_ texts: [String]) throws {
        guard isWritable else { throw StoreError(.unavailable, detail: "a reading closure tried to write") }
        guard !texts.contains(where: { $0.utf8.contains(0) }) else {
            throw StoreError(.notStorable, detail: "text with U+0000")
        }
    }

    private func change(_ credentialID: CredentialID, of account: AccountID, _ body: (inout Passkey) -> Void) -> Bool {
        guard var passkey = records.passkeys[credentialID], passkey.accountID == account else { return false }
        body(&passkey)
        records.passkeys[credentialID] = passkey
        return true
    }

    func remove(_ session: Session) {
        records.sessions[session.id] = nil
        records.sessionsByHash[session.tokenHash] = nil
        for app in records.appSessions.values where app.sessionID == session.id {
            records.appSessions[app.tokenHash] = nil
        }
        removeGrants { $0.sessionID == session.id }
        removeDevices { $0.answer == .allowed(session.id) }
    }
}

// This is safe, because only the closure that got the transaction uses it.
@available(*, unavailable)
extension MemoryTransaction: Sendable {}

/// What finds a recovery link of an account.
struct RecoveryPlace: Hashable {
    let account: AccountID
    let source: RecoveryLink.Source

    init(_ account: AccountID, _ source: RecoveryLink.Source) {
        self.account = account
        self.source = source
    }
}
