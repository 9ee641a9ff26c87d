internal import Synchronization
package import WardLog
package import WardSyncRecords

/// A store in memory for vaults that are synced, for tests of code that needs a store.
package final class MemorySyncStore: SyncStore {
    private struct Kept: Sendable {
        var vault: SyncVault
        /// The place in the order in which vaults were brought.
        var number = 0
        var entries: [SyncEntry] = []
        var heads: Set<[UInt8]> = []
        var evidence: [SyncEvidence] = []
        var keys: [SyncSubject: SyncKey] = [:]
        /// How far the vault was at observations.
        var reached: [(observation: Int64, head: Int64)] = []
        /// The observation at which its blobs were last looked at.
        var clearedAt: Int64 = 0
    }

    private struct Records: Sendable {
        var vaults: [VaultID: Kept] = [:]
        /// How many vaults were brought.
        var created = 0
        var sessions: [TokenHash: SyncSession] = [:]
        /// The order in which sessions were opened.
        var opened: [TokenHash] = []
        var invitations: [TokenHash: SyncInvitation] = [:]
        var observation: (number: Int64, madeAt: Int64)?
    }

    private let records = Mutex(Records())
    private let failure = Mutex<SyncStoreError?>(nil)

    package init() {}

    /// A store with the same content: what a server has that is restored from a copy.
    package func copy() -> MemorySyncStore {
        let copy = MemorySyncStore()
        let content = records.withLock { $0 }
        copy.records.withLock { $0 = content }
        return copy
    }

    /// Makes each call fail from now on, or work again.
    package func fail(_ error: SyncStoreError?) { failure.withLock { $0 = error } }

    private func change<T: Sendable>(_ body: (inout Records) throws -> T) throws -> T {
        if let error = failure.withLock({ $0 }) { throw error }
        return try records.withLock { records in
            var copy = records
            let result = try body(&copy)
            records = copy
            return result
        }
    }

    // MARK: Vaults

    package func create(
        _ vault: SyncVault,
        _ batch: SyncBatch,
        limit: Int,
        room: Int64,
        at now: Int64
    ) async throws -> SyncVault {
        try change { records in
            guard let token = vault.invitation else { throw SyncStoreError(.invitationNotValid) }
            if let kept = records.vaults[vault.id], kept.vault.invitation == token { return kept.vault }
            guard let invitation = records.invitations.removeValue(forKey: token), invitation.expiresAt > now else {
                throw SyncStoreError(.invitationNotValid)
            }
            if let kept = records.vaults[vault.id] {
                guard let account = invitation.account, account == kept.vault.account, kept.vault.invitation != nil
                else {
                    throw SyncStoreError(.vaultExists)
                }
                records.vaults[vault.id]?.vault.invitation = token
                return records.vaults[vault.id]?.vault ?? kept.vault
            }
            if let account = invitation.account {
                let count = records.vaults.values.count { $0.vault.account == account }
                guard count < limit else { throw SyncStoreError(.tooManyVaults) }
            }
            var kept = Kept(vault: vault)
            kept.vault.account = invitation.account
            records.created += 1
            kept.number = records.created
            (kept.vault.head, kept.vault.bytes) = (0, 0)
            Self.add(batch, to: &kept, &records)
            records.vaults[vault.id] = kept
            if let account = invitation.account {
                let vaults = records.vaults.values.filter { $0.vault.account == account }
                guard vaults.reduce(0, { $0 + $1.vault.bytes }) <= room else { throw SyncStoreError(.accountFull) }
            }
            return kept.vault
        }
    }

    package func vault(_ id: VaultID) async throws -> SyncVault? { try change { $0.vaults[id]?.vault } }

    package func delete(_ vault: VaultID) async throws -> Bool {
        try change { records in
            records.sessions = records.sessions.filter { $0.value.vault != vault }
            return records.vaults.removeValue(forKey: vault) != nil
        }
    }

    package func vaults(of account: String) async throws -> [SyncVault] {
        try change { records in
            records.vaults.values.filter { $0.vault.account == account }.sorted { $0.number < $1.number }.map(\.vault)
        }
    }

    package func accounts(after name: String, limit: Int) async throws -> [String] {
        try change { records in
            let names = Set(records.vaults.values.compactMap(\.vault.account))
            let inOrder = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return Array(inOrder.filter { name.utf8.lexicographicallyPrecedes($0.utf8) }.prefix(limit))
        }
    }

    // MARK: Entries

    package func append(_ batch: SyncBatch, to vault: VaultID) async throws -> SyncVault {
        try change { records in
            guard var kept = records.vaults[vault] else { throw SyncStoreError(.vaultNotFound) }
            guard kept.vault.head == batch.head else { throw SyncStoreError(.headMoved) }
            Self.add(batch, to: &kept, &records)
            records.vaults[vault] = kept
            return kept.vault
        }
    }

    private static func add(_ batch: SyncBatch, to kept: inout Kept, _ records: inout Records) {
        for addition in batch.additions {
            kept.entries.append(addition.entry)
            if let previous = addition.previous { kept.heads.remove(previous) }
            kept.heads.insert(addition.entry.hash)
            kept.vault.head = addition.entry.number
            kept.vault.bytes += Int64(addition.length)
        }
        for blob in batch.blobs {
            guard let index = kept.entries.firstIndex(where: { $0.hash == blob.entry && $0.blob == nil }) else {
                continue
            }
            kept.entries[index].blob = blob.blob
            kept.vault.bytes += Int64(blob.blob.count)
        }
        kept.evidence += batch.evidence.filter { !kept.evidence.contains($0) }
        if kept.vault.circleRoot == nil { kept.vault.circleRoot = batch.circleRoot }
        if batch.endsBringing, !batch.isEmpty { kept.vault.invitation = nil }
        if let keys = batch.keys {
            kept.keys = Dictionary(keys.map { ($0.subject, $0) }) { $1 }
            records.sessions = records.sessions.filter { _, session in
                session.vault != kept.vault.id || kept.keys[session.subject]?.isAllowed == true
            }
        }
    }

    package func entries(of vault: VaultID, after number: Int64, _ page: SyncPage) async throws -> [SyncEntry] {
        try change { records in
            Self.page(records.vaults[vault]?.entries.filter { $0.number > number } ?? [], page)
        }
    }

    package func entries(
        of vault: VaultID,
        by device: DeviceID,
        from sequence: Int64,
        after number: Int64,
        _ page: SyncPage
    ) async throws -> [SyncEntry] {
        try change { records in
            let found =
                records.vaults[vault]?.entries.filter {
                    $0.device == device && ($0.sequence, $0.number) > (sequence, number)
                } ?? []
            return Self.page(found.sorted { ($0.sequence, $0.number) < ($1.sequence, $1.number) }, page)
        }
    }

    private static func page(_ entries: [SyncEntry], _ page: SyncPage) -> [SyncEntry] {
        var (found, bytes): ([SyncEntry], Int) = ([], 0)
        for var entry in entries.filter({ $0.number <= page.last }).prefix(page.entries) {
            if !page.hasBlobs { entry.blob = nil }
            bytes += entry.encoded.count + (entry.blob?.count ?? 0)
            guard found.isEmpty || bytes <= page.bytes else { break }
            found.append(entry)
        }
        return found
    }

    package func heads(of vault: VaultID) async throws -> [Int64] {
        try change { records in
            guard let kept = records.vaults[vault] else { return [] }
            return kept.entries.filter { kept.heads.contains($0.hash) }.map(\.number)
        }
    }

    package func entriesWithoutBlob(of vault: VaultID, among hashes: [[UInt8]]) async throws -> Set<[UInt8]> {
        try change { records in
            let wanted = Set(hashes)
            let found = records.vaults[vault]?.entries.filter { $0.blob == nil && wanted.contains($0.hash) } ?? []
            return Set(found.map(\.hash))
        }
    }

    package func contradictions(of vault: VaultID, limit: Int) async throws -> [SyncContradiction] {
        try change { records in
            guard let kept = records.vaults[vault] else { return [] }
            return kept.evidence.prefix(limit).compactMap { evidence in
                guard let first = kept.entries.first(where: { $0.hash == evidence.first }),
                    let second = kept.entries.first(where: { $0.hash == evidence.second })
                else { return nil }
                return SyncContradiction(first: Self.withoutBlob(first), second: Self.withoutBlob(second))
            }
        }
    }

    private static func withoutBlob(_ entry: SyncEntry) -> SyncEntry {
        var entry = entry
        entry.blob = nil
        return entry
    }

    package func shares(of vault: VaultID) async throws -> [SyncShare] {
        try change { records in
            var found: [DeviceID: SyncShare] = [:]
            for entry in records.vaults[vault]?.entries ?? [] {
                var share = found[entry.device] ?? SyncShare(device: entry.device, entries: 0, bytes: 0)
                share.entries += 1
                share.bytes += Int64(entry.encoded.count + (entry.blob?.count ?? 0))
                found[entry.device] = share
            }
            return found.values.sorted { $0.device < $1.device }
        }
    }

    // MARK: Sessions

    package func key(of subject: SyncSubject, in vault: VaultID) async throws -> SyncKey? {
        try change { $0.vaults[vault]?.keys[subject] }
    }

    package func open(_ session: SyncSession, limit: Int) async throws {
        try change { records in
            guard records.vaults[session.vault]?.keys[session.subject]?.isAllowed == true else {
                throw SyncStoreError(.keyNotAllowed)
            }
            guard records.sessions[session.token] == nil else { throw SyncStoreError(.conflict) }
            records.sessions[session.token] = session
            records.opened.append(session.token)
            let own = records.opened.filter { token in
                records.sessions[token].map { ($0.vault, $0.subject) == (session.vault, session.subject) } == true
            }
            for token in own.dropLast(limit) { records.sessions[token] = nil }
        }
    }

    package func visit(_ token: TokenHash, at now: Int64) async throws -> SyncVisit? {
        try change { records in
            guard let session = records.sessions[token], session.expiresAt > now,
                let vault = records.vaults[session.vault]?.vault
            else { return nil }
            return SyncVisit(session: session, vault: vault)
        }
    }

    package func close(_ token: TokenHash) async throws { try change { $0.sessions[token] = nil } }

    // MARK: Invitations and upkeep

    package func add(_ invitation: SyncInvitation) async throws {
        try change { records in
            guard records.invitations[invitation.token] == nil else { throw SyncStoreError(.conflict) }
            records.invitations[invitation.token] = invitation
        }
    }

    package func isKnown(_ invitation: TokenHash, at now: Int64) async throws -> Bool {
        try change { records in
            records.invitations[invitation].map { $0.expiresAt > now } == true
                || records.vaults.values.contains { $0.vault.invitation == invitation }
        }
    }

    package func account(of invitation: TokenHash) async throws -> String? {
        try change { records in
            records.invitations[invitation]?.account
                ?? records.vaults.values.first { $0.vault.invitation == invitation }?.vault.account
        }
    }

    package func sweep(at now: Int64, limit: Int) async throws -> Int {
        try change { records in
            let sessions = records.sessions.values.filter { $0.expiresAt <= now }.prefix(limit)
            for session in sessions { records.sessions[session.token] = nil }
            let invitations = records.invitations.values.filter { $0.expiresAt <= now }.prefix(limit - sessions.count)
            for invitation in invitations { records.invitations[invitation.token] = nil }
            return sessions.count + invitations.count
        }
    }

    package func probe() async throws { try change { _ in } }

    // MARK: Clearing

    package func observe(at now: Int64) async throws {
        try change { records in
            if let last = records.observation {
                guard now >= last.madeAt else { return records.observation = (last.number, now) }
                guard now - last.madeAt >= 86_400 else { return }
            }
            let number = (records.observation?.number ?? 0) + 1
            records.observation = (number, now)
            for (id, kept) in records.vaults where kept.vault.head > kept.reached.last?.head ?? 0 {
                records.vaults[id]?.reached.append((number, kept.vault.head))
            }
        }
    }

    package func nextClearing(superseded: Int64, removed: Int64) async throws -> SyncClearing? {
        try change { records in
            guard let last = records.observation?.number else { return nil }
            let due = records.vaults.values.filter { $0.clearedAt < last }
            guard let kept = due.min(by: { $0.clearedAt < $1.clearedAt }) else { return nil }
            func head(_ observations: Int64) -> Int64 {
                kept.reached.last { $0.observation <= last - observations }?.head ?? 0
            }
            return SyncClearing(
                vault: kept.vault,
                superseded: head(superseded),
                removed: head(removed),
                observation: last
            )
        }
    }

    package func lengths(of vault: VaultID, from first: Int64, to last: Int64) async throws -> [SyncLength] {
        try change { records in
            let found = records.vaults[vault]?.entries.filter { $0.number >= first && $0.number <= last } ?? []
            return found.map { entry in
                SyncLength(
                    number: entry.number,
                    entry: Int64(entry.encoded.count),
                    blob: entry.blob.map { Int64($0.count) }
                )
            }
        }
    }

    package func clear(_ numbers: [Int64], of vault: SyncVault, doneAt observation: Int64?) async throws -> SyncVault {
        try change { records in
            guard var kept = records.vaults[vault.id], kept.vault.order == vault.order else {
                throw SyncStoreError(.vaultNotFound)
            }
            let wanted = Set(numbers)
            for index in kept.entries.indices where wanted.contains(kept.entries[index].number) {
                kept.vault.bytes -= Int64(kept.entries[index].blob?.count ?? 0)
                kept.entries[index].blob = nil
            }
            if let observation { kept.clearedAt = observation }
            records.vaults[vault.id] = kept
            return kept.vault
        }
    }
}
