import Synchronization
import WardAccounts
import WardWebAuthn

/// A store that counts what it is asked.
final class CountingStore<Base: AccountStore>: AccountStore {
    typealias Transaction = CountingTransaction<Base.Transaction>

    private let base: Base
    private let tally = Tally()

    init(_ base: Base) { self.base = base }

    /// How often each question was asked; `read` and `write` are the trips.
    var counts: [String: Int] { tally.counts.withLock { $0 } }
    /// What a sweep asked for. Sweeping comes at any time, so it is neither a question nor a trip.
    var sweeps: Set<String> { tally.sweeps.withLock { $0 } }
    /// The sizes of the ceremonies' rows.
    var payloads: [Int] { tally.payloads.withLock { $0 } }
    var trips: [String: Int] { counts.filter { ["read", "write"].contains($0.key) } }
    func reset() {
        tally.counts.withLock { $0 = [:] }
        tally.payloads.withLock { $0 = [] }
    }

    /// What every writing closure fails with from now on.
    func failWrites(with failure: StoreError?) { tally.failure.withLock { $0 = failure } }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (CountingTransaction<Base.Transaction>) async throws -> T
    ) async throws -> T {
        try await base.read { try await body(CountingTransaction(base: $0, trip: Trip("read", self.tally))) }
    }

    func write<T: Sendable>(
        _ body: @escaping @Sendable (CountingTransaction<Base.Transaction>) async throws -> T
    ) async throws -> T {
        if let failure = tally.failure.withLock({ $0 }) { throw failure }
        return try await base.write { try await body(CountingTransaction(base: $0, trip: Trip("write", self.tally))) }
    }
}

final class Tally: Sendable {
    let counts = Mutex<[String: Int]>([:])
    let sweeps = Mutex<Set<String>>([])
    let payloads = Mutex<[Int]>([])
    let failure = Mutex<StoreError?>(nil)
    func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
}

/// One trip; it counts from its first question on, so that sweeping, which comes at any time, does not.
final class Trip {
    private let kind: String
    private let tally: Tally
    private var isCounted = false

    init(_ kind: String, _ tally: Tally) {
        self.kind = kind
        self.tally = tally
    }

    func noteSweep(_ name: String) { _ = tally.sweeps.withLock { $0.insert(name) } }
    func note(_ ceremony: CeremonyRecord) { tally.payloads.withLock { $0.append(ceremony.payload.count) } }

    func note(_ name: String) {
        if !isCounted { tally.note(kind) }
        isCounted = true
        tally.note(name)
    }
}

struct CountingTransaction<Base: AccountTransaction>: AccountTransaction {
    let base: Base
    let trip: Trip

    func noting<T>(_ name: String = #function, _ work: () async throws -> T) async rethrows -> T {
        trip.note(name)
        return try await work()
    }

    func sweeping<T>(_ name: String = #function, _ work: () async throws -> T) async rethrows -> T {
        trip.noteSweep(name)
        return try await work()
    }

    func insert(_ ceremony: CeremonyRecord) async throws {
        trip.note(ceremony)
        try await noting { try await base.insert(ceremony) }
    }
    func takeCeremony(id: [UInt8]) async throws -> CeremonyRecord? {
        try await noting { try await base.takeCeremony(id: id) }
    }
    func deleteExpiredCeremonies(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredCeremonies(before: time, limit: limit) }
    }
    func insertUse(_ use: [UInt8], until time: Int64) async throws -> Bool {
        try await noting { try await base.insertUse(use, until: time) }
    }
    func deleteExpiredUses(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredUses(before: time, limit: limit) }
    }
    func ceremonyCount() async throws -> Int { try await base.ceremonyCount() }
    func insert(_ account: Account) async throws { try await noting { try await base.insert(account) } }
    func account(id: AccountID) async throws -> Account? { try await noting { try await base.account(id: id) } }
    func account(username mapped: String) async throws -> Account? {
        try await noting { try await base.account(username: mapped) }
    }
    func account(userHandle: UserHandle) async throws -> Account? {
        try await noting { try await base.account(userHandle: userHandle) }
    }
    func accounts(limit: Int) async throws -> [Account] {
        try await noting { try await base.accounts(limit: limit) }
    }
    func accounts(after mapped: String?, limit: Int) async throws -> [Account] {
        try await noting { try await base.accounts(after: mapped, limit: limit) }
    }
    func accounts(withPrefix prefix: String, after mapped: String?, limit: Int) async throws -> [Account] {
        try await noting { try await base.accounts(withPrefix: prefix, after: mapped, limit: limit) }
    }
    func update(_ account: Account) async throws -> Bool { try await noting { try await base.update(account) } }
    func setAccount(id: AccountID, disabledAt time: Int64?) async throws -> Bool {
        try await noting { try await base.setAccount(id: id, disabledAt: time) }
    }

    @discardableResult
    func setAccount(id: AccountID, groups: [GroupName]) async throws -> Bool {
        try await noting { try await base.setAccount(id: id, groups: groups) }
    }
    func deleteAccount(id: AccountID) async throws -> Bool { try await noting { try await base.deleteAccount(id: id) } }
    func insert(_ passkey: Passkey) async throws { try await noting { try await base.insert(passkey) } }
    func passkey(credentialID: CredentialID) async throws -> Passkey? {
        try await noting { try await base.passkey(credentialID: credentialID) }
    }
    func passkeys(of account: AccountID) async throws -> [Passkey] {
        try await noting { try await base.passkeys(of: account) }
    }
    func update(_ passkey: Passkey) async throws -> Bool { try await noting { try await base.update(passkey) } }
    func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) async throws -> Bool {
        try await noting { try await base.renamePasskey(credentialID: credentialID, of: account, to: name) }
    }
    func deletePasskey(credentialID: CredentialID, of account: AccountID) async throws -> Bool {
        try await noting { try await base.deletePasskey(credentialID: credentialID, of: account) }
    }
    func password(of account: AccountID) async throws -> PasswordRecord? {
        try await noting { try await base.password(of: account) }
    }
    func setPassword(_ password: PasswordRecord) async throws {
        try await noting { try await base.setPassword(password) }
    }
    func deletePassword(of account: AccountID) async throws -> Bool {
        try await noting { try await base.deletePassword(of: account) }
    }
    func insert(_ session: Session) async throws { try await noting { try await base.insert(session) } }
    func session(tokenHash: [UInt8]) async throws -> Session? {
        try await noting { try await base.session(tokenHash: tokenHash) }
    }
    func sessions(of account: AccountID) async throws -> [Session] {
        try await noting { try await base.sessions(of: account) }
    }
    func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) async throws -> Bool {
        try await noting { try await base.touchSession(id: id, lastSeenAt: lastSeenAt, idleExpiresAt: idleExpiresAt) }
    }
    func deleteSession(id: SessionID, of account: AccountID) async throws -> Bool {
        try await noting { try await base.deleteSession(id: id, of: account) }
    }
    func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteSession(tokenHash: tokenHash) }
    }
    func deleteOldestSessions(of account: AccountID, keeping limit: Int) async throws -> Int {
        try await noting { try await base.deleteOldestSessions(of: account, keeping: limit) }
    }
    func deleteExpiredSessions(at now: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredSessions(at: now, limit: limit) }
    }
    func bindSession(id: SessionID, to binding: SessionBinding) async throws -> Bool {
        try await noting { try await base.bindSession(id: id, to: binding) }
    }
    func countProof(ofSession id: SessionID, after count: Int64) async throws -> Bool {
        try await noting { try await base.countProof(ofSession: id, after: count) }
    }
    func session(id: SessionID) async throws -> Session? { try await noting { try await base.session(id: id) } }
    func insert(_ session: AppSession) async throws { try await noting { try await base.insert(session) } }
    func appSession(tokenHash: [UInt8]) async throws -> AppSession? {
        try await noting { try await base.appSession(tokenHash: tokenHash) }
    }
    func insert(_ invitation: Invitation) async throws { try await noting { try await base.insert(invitation) } }
    func invitation(tokenHash: [UInt8]) async throws -> Invitation? {
        try await noting { try await base.invitation(tokenHash: tokenHash) }
    }
    func invitations(limit: Int) async throws -> [Invitation] {
        try await noting { try await base.invitations(limit: limit) }
    }
    func deleteInvitation(tokenHash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteInvitation(tokenHash: tokenHash) }
    }
    func deleteExpiredInvitations(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredInvitations(before: time, limit: limit) }
    }
    func setRecoveryLink(_ link: RecoveryLink) async throws {
        try await noting { try await base.setRecoveryLink(link) }
    }
    func recoveryLink(tokenHash: [UInt8]) async throws -> RecoveryLink? {
        try await noting { try await base.recoveryLink(tokenHash: tokenHash) }
    }
    func recoveryLinks(of account: AccountID) async throws -> [RecoveryLink] {
        try await noting { try await base.recoveryLinks(of: account) }
    }
    func deleteRecoveryLink(of account: AccountID, from source: RecoveryLink.Source) async throws -> Bool {
        try await noting { try await base.deleteRecoveryLink(of: account, from: source) }
    }
    func attempts(_ key: [UInt8]) async throws -> AttemptCount? { try await noting { try await base.attempts(key) } }
    func setAttempts(_ attempts: AttemptCount) async throws {
        try await noting { try await base.setAttempts(attempts) }
    }
    func deleteAttempts(_ key: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteAttempts(key) }
    }
    func deleteExpiredAttempts(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredAttempts(before: time, limit: limit) }
    }
    func deleteSurplusAttempts(keeping most: Int, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteSurplusAttempts(keeping: most, limit: limit) }
    }
    func append(_ event: AuditEvent) async throws { try await noting { try await base.append(event) } }
    func auditEnd() async throws -> AuditPoint { try await base.auditEnd() }
    func auditEntries(after number: Int64, limit: Int) async throws -> [AuditEntry] {
        try await base.auditEntries(after: number, limit: limit)
    }
    func auditEntries(of account: AccountID, limit: Int) async throws -> [AuditEntry] {
        try await base.auditEntries(of: account, limit: limit)
    }
    func wasDeleted(credentialID: CredentialID) async throws -> Bool {
        try await noting { try await base.wasDeleted(credentialID: credentialID) }
    }
    func insert(_ token: AdminToken) async throws { try await base.insert(token) }
    func adminToken(tokenHash: [UInt8]) async throws -> AdminToken? { try await base.adminToken(tokenHash: tokenHash) }
    func adminTokens() async throws -> [AdminToken] { try await base.adminTokens() }
    func deleteAdminToken(tokenHash: [UInt8]) async throws -> Bool {
        try await base.deleteAdminToken(tokenHash: tokenHash)
    }
    func touchAdminToken(tokenHash: [UInt8], lastUsedAt: Int64) async throws -> Bool {
        try await base.touchAdminToken(tokenHash: tokenHash, lastUsedAt: lastUsedAt)
    }
    func recordCounts() async throws -> RecordCounts { try await base.recordCounts() }
    func auditCheckpoint() async throws -> AuditSeal? { try await base.auditCheckpoint() }
    func deleteAuditEntries(through checkpoint: AuditSeal) async throws -> Int {
        try await base.deleteAuditEntries(through: checkpoint)
    }
    func secret(named name: String) async throws -> [UInt8]? { try await noting { try await base.secret(named: name) } }
    func insertSecret(named name: String, _ bytes: [UInt8]) async throws -> [UInt8] {
        try await noting { try await base.insertSecret(named: name, bytes) }
    }
}
