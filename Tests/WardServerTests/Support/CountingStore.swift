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
    var trips: [String: Int] { counts.filter { ["read", "write"].contains($0.key) } }
    func reset() { tally.counts.withLock { $0 = [:] } }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (CountingTransaction<Base.Transaction>) throws -> T
    ) async throws -> T {
        try await base.read { [tally] in try body(CountingTransaction(base: $0, trip: Trip("read", tally))) }
    }

    func write<T: Sendable>(
        _ body: @escaping @Sendable (CountingTransaction<Base.Transaction>) throws -> T
    ) async throws -> T {
        try await base.write { [tally] in try body(CountingTransaction(base: $0, trip: Trip("write", tally))) }
    }
}

final class Tally: Sendable {
    let counts = Mutex<[String: Int]>([:])
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

    func note(_ name: String) {
        if !isCounted { tally.note(kind) }
        isCounted = true
        tally.note(name)
    }
}

struct CountingTransaction<Base: AccountTransaction>: AccountTransaction {
    let base: Base
    let trip: Trip

    private func noting<T>(_ name: String = #function, _ work: () throws -> T) rethrows -> T {
        trip.note(name)
        return try work()
    }

    func insert(_ ceremony: CeremonyRecord) throws { try noting { try base.insert(ceremony) } }
    func takeCeremony(id: [UInt8]) throws -> CeremonyRecord? { try noting { try base.takeCeremony(id: id) } }
    func deleteExpiredCeremonies(before time: Int64) throws -> Int { try base.deleteExpiredCeremonies(before: time) }
    func insert(_ account: Account) throws { try noting { try base.insert(account) } }
    func account(id: AccountID) throws -> Account? { try noting { try base.account(id: id) } }
    func account(username mapped: String) throws -> Account? { try noting { try base.account(username: mapped) } }
    func account(userHandle: UserHandle) throws -> Account? { try noting { try base.account(userHandle: userHandle) } }
    func update(_ account: Account) throws -> Bool { try noting { try base.update(account) } }
    func deleteAccount(id: AccountID) throws -> Bool { try noting { try base.deleteAccount(id: id) } }
    func insert(_ passkey: Passkey) throws { try noting { try base.insert(passkey) } }
    func passkey(credentialID: CredentialID) throws -> Passkey? {
        try noting { try base.passkey(credentialID: credentialID) }
    }
    func passkeys(of account: AccountID) throws -> [Passkey] { try noting { try base.passkeys(of: account) } }
    func passkeyCount(of account: AccountID) throws -> Int { try noting { try base.passkeyCount(of: account) } }
    func update(_ passkey: Passkey) throws -> Bool { try noting { try base.update(passkey) } }
    func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) throws -> Bool {
        try noting { try base.renamePasskey(credentialID: credentialID, of: account, to: name) }
    }
    func deletePasskey(credentialID: CredentialID, of account: AccountID) throws -> Bool {
        try noting { try base.deletePasskey(credentialID: credentialID, of: account) }
    }
    func password(of account: AccountID) throws -> PasswordRecord? { try noting { try base.password(of: account) } }
    func setPassword(_ password: PasswordRecord) throws { try noting { try base.setPassword(password) } }
    func deletePassword(of account: AccountID) throws -> Bool { try noting { try base.deletePassword(of: account) } }
    func insert(_ session: Session) throws { try noting { try base.insert(session) } }
    func session(tokenHash: [UInt8]) throws -> Session? { try noting { try base.session(tokenHash: tokenHash) } }
    func sessions(of account: AccountID) throws -> [Session] { try noting { try base.sessions(of: account) } }
    func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) throws -> Bool {
        try noting { try base.touchSession(id: id, lastSeenAt: lastSeenAt, idleExpiresAt: idleExpiresAt) }
    }
    func deleteSession(id: SessionID, of account: AccountID) throws -> Bool {
        try noting { try base.deleteSession(id: id, of: account) }
    }
    func deleteSession(tokenHash: [UInt8]) throws -> Bool {
        try noting { try base.deleteSession(tokenHash: tokenHash) }
    }
    func deleteExpiredSessions(at now: Int64) throws -> Int { try base.deleteExpiredSessions(at: now) }
    func secret(named name: String) throws -> [UInt8]? { try noting { try base.secret(named: name) } }
    func insertSecret(named name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        try noting { try base.insertSecret(named: name, bytes) }
    }
}
