import Foundation
import Synchronization
import WardLog
import WardSyncRecords

/// A store that waits before it stores, stores nothing, or loses its answers.
final class SlowStore: SyncStore {
    private struct Gate {
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let base: any SyncStore
    private let gate = Mutex(Gate())
    private let lost = Mutex(false)
    private let full = Mutex(false)
    private let unsure = Mutex(false)
    private let kills = Mutex(false)
    private let pages = Mutex(0)
    private let probed = Mutex(0)

    init(_ base: any SyncStore) { self.base = base }

    var losesAnswers: Bool {
        get { lost.withLock { $0 } }
        set { lost.withLock { $0 = newValue } }
    }

    /// Whether it stores no entries.
    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    /// Whether it cannot say which vaults an account has.
    var knowsNoAccounts: Bool {
        get { unsure.withLock { $0 } }
        set { unsure.withLock { $0 = newValue } }
    }

    /// Whether the process ends after a commit, before its answer.
    var killsItself: Bool {
        get { kills.withLock { $0 } }
        set { kills.withLock { $0 = newValue } }
    }

    /// How many pages of logs were read.
    var readings: Int { pages.withLock { $0 } }

    /// How often it was tested.
    var probes: Int { probed.withLock { $0 } }

    func close() { gate.withLock { $0.isClosed = true } }

    func open() {
        let waiting = gate.withLock { gate in
            gate.isClosed = false
            return gate.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = gate.withLock { gate in
                if gate.isClosed { gate.waiting.append(continuation) }
                return !gate.isClosed
            }
            if isOpen { continuation.resume() }
        }
    }

    func append(_ batch: SyncBatch, to vault: VaultID) async throws -> SyncVault {
        await pass()
        if isFull { throw SyncStoreError(.unavailable) }
        let stored = try await base.append(batch, to: vault)
        if killsItself { _ = kill(getpid(), SIGKILL) }
        if losesAnswers { throw SyncStoreError(.unavailable) }
        return stored
    }

    func create(
        _ vault: SyncVault,
        _ batch: SyncBatch,
        limit: Int,
        room: Int64,
        at now: Int64
    ) async throws -> SyncVault {
        try await base.create(vault, batch, limit: limit, room: room, at: now)
    }
    func vault(_ id: VaultID) async throws -> SyncVault? { try await base.vault(id) }
    func delete(_ vault: VaultID) async throws -> Bool { try await base.delete(vault) }
    func vaults(of account: String) async throws -> [SyncVault] {
        if knowsNoAccounts { throw SyncStoreError(.unavailable) }
        return try await base.vaults(of: account)
    }
    func accounts(after name: String, limit: Int) async throws -> [String] {
        try await base.accounts(after: name, limit: limit)
    }
    func entries(of vault: VaultID, after number: Int64, _ page: SyncPage) async throws -> [SyncEntry] {
        pages.withLock { $0 += 1 }
        return try await base.entries(of: vault, after: number, page)
    }
    func entries(
        of vault: VaultID,
        by device: DeviceID,
        from sequence: Int64,
        after number: Int64,
        _ page: SyncPage
    ) async throws -> [SyncEntry] {
        try await base.entries(of: vault, by: device, from: sequence, after: number, page)
    }
    func heads(of vault: VaultID) async throws -> [Int64] { try await base.heads(of: vault) }
    func observe(at now: Int64) async throws { try await base.observe(at: now) }
    func nextClearing(superseded: Int64, removed: Int64) async throws -> SyncClearing? {
        try await base.nextClearing(superseded: superseded, removed: removed)
    }
    func lengths(of vault: VaultID, from first: Int64, to last: Int64) async throws -> [SyncLength] {
        try await base.lengths(of: vault, from: first, to: last)
    }
    func clear(_ numbers: [Int64], of vault: SyncVault, doneAt observation: Int64?) async throws -> SyncVault {
        try await base.clear(numbers, of: vault, doneAt: observation)
    }
    func entriesWithoutBlob(of vault: VaultID, among hashes: [[UInt8]]) async throws -> Set<[UInt8]> {
        try await base.entriesWithoutBlob(of: vault, among: hashes)
    }
    func contradictions(of vault: VaultID, limit: Int) async throws -> [SyncContradiction] {
        try await base.contradictions(of: vault, limit: limit)
    }
    func shares(of vault: VaultID) async throws -> [SyncShare] { try await base.shares(of: vault) }
    func key(of subject: SyncSubject, in vault: VaultID) async throws -> SyncKey? {
        try await base.key(of: subject, in: vault)
    }
    func open(_ session: SyncSession, limit: Int) async throws { try await base.open(session, limit: limit) }
    func visit(_ token: TokenHash, at now: Int64) async throws -> SyncVisit? {
        try await base.visit(token, at: now)
    }
    func close(_ token: TokenHash) async throws { try await base.close(token) }
    func add(_ invitation: SyncInvitation) async throws { try await base.add(invitation) }
    func isKnown(_ invitation: TokenHash, at now: Int64) async throws -> Bool {
        try await base.isKnown(invitation, at: now)
    }
    func account(of invitation: TokenHash) async throws -> String? { try await base.account(of: invitation) }
    func sweep(at now: Int64, limit: Int) async throws -> Int { try await base.sweep(at: now, limit: limit) }
    func probe() async throws {
        probed.withLock { $0 += 1 }
        try await base.probe()
    }
}
