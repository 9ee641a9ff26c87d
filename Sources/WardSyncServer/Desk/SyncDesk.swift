import Logging
import WardLog
import WardSyncRecords
import WardWebAuthn

/// What all routes share.
struct SyncDesk: Sendable {
    let host: String
    let store: any SyncStore
    let limits: SyncLimits
    let effects: Effects
    let clock: any Clock<Duration>
    let scheme: SignatureScheme
    let logs: LogCache
    let news: HeadNews
    let challenges: Challenges
    let uploads: MemoryShares<DeviceInVault>
    /// Uploads that bring a vault.
    let bringing: MemoryShares<TokenHash>
    /// Answers that clients are reading.
    let answers: MemoryShares<DeviceInVault>
    let entryRate: RateLimiter<DeviceInVault>
    /// Entries that are read again because a log is not in memory.
    let readingRate: RateLimiter<MemoryOwner>
    let openingRate: RateLimiter<String>
    let meetings: Meetings
    let meetingRate: RateLimiter<DeviceInVault>
    let joiningRate: RateLimiter<String>
    /// The accounts whose owners bring vaults; `nil` if a vault needs an invitation of the operator.
    let accounts: SyncAccounts?
    /// The accounts that have vaults, also if they bring no more.
    let owners: SyncAccounts?
    /// The address of a client, if it is known.
    let address: SyncServerConfiguration.AddressOfRequest?

    struct DeviceInVault: Hashable, Sendable {
        let vault: VaultID
        let name: [UInt8]

        init(vault: VaultID, subject: SyncSubject) { (self.vault, name) = (vault, subject.bytes) }

        /// Who brings the vault with its invitation.
        init(vault: VaultID, invitation: TokenHash) { (self.vault, name) = (vault, invitation.bytes) }
    }

    init(
        _ configuration: SyncServerConfiguration,
        _ store: any SyncStore,
        _ effects: Effects,
        _ clock: any Clock<Duration>,
        _ scheme: SignatureScheme
    ) {
        host = configuration.host
        self.store = store
        limits = configuration.limits
        self.effects = effects
        self.clock = clock
        self.scheme = scheme
        logs = LogCache(entries: limits.cachedEntries, waiting: limits.waitingForVault)
        news = HeadNews(limit: limits.listeners, ofVault: limits.listenersOfVault)
        challenges = Challenges(effects)
        uploads = MemoryShares(
            room: limits.uploadRoom,
            forEach: SyncLimits.uploadsOfDevice,
            share: limits.uploadShare
        )
        bringing = MemoryShares(room: limits.uploadRoom, forEach: 1, share: limits.uploadShare)
        answers = MemoryShares(
            room: limits.answerRoom,
            forEach: SyncLimits.answersOfDevice,
            share: limits.answerShare
        )
        entryRate = RateLimiter(limits.entries)
        readingRate = RateLimiter(limits.readings)
        openingRate = RateLimiter(limits.openings)
        meetings = Meetings(limit: limits.meetings, effects)
        meetingRate = RateLimiter(limits.codes)
        joiningRate = RateLimiter(limits.joinings)
        accounts = configuration.limits.vaultsOfAccount > 0 ? configuration.accounts : nil
        owners = configuration.accounts
        address = configuration.address
    }

    // MARK: Uploads

    /// What an upload did.
    struct Stored: Sendable {
        let vault: SyncVault
        /// How many entries are new.
        let count: Int
        let evidence: [SyncEvidence]
    }

    /// Checks an upload and stores it.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - id: The vault.
    ///   - session: The session in which it came; `nil` if it came with the vault's invitation.
    /// - Returns: What it did.
    /// - Throws: ``SyncError``, with `session_required` if the session or the bringing ended while the upload arrived.
    func take(_ upload: Upload, into id: VaultID, by session: SyncSession? = nil) async throws -> Stored {
        for _ in 0..<Self.attempts {
            do {
                return try await logs.with(id) { log in
                    let vault: SyncVault
                    do {
                        vault = try await self.vault(id, still: upload.invitation, session)
                    } catch {
                        throw KeptRefusal(error: error)
                    }
                    return try await take(upload, vault, &log)
                }
            } catch let error as SyncStoreError where error.code == .headMoved {
                // Another process stored something; the log is read again.
            }
        }
        throw SyncError(SyncStoreError(.headMoved))
    }

    /// How often an upload is checked if other processes store at the same time.
    private static let attempts = 3

    /// The vault of an upload, if who brings it still may: a body can take minutes to arrive.
    ///
    /// A device may have been removed meanwhile, or may have brought something in a session, which ends the bringing.
    private func vault(_ id: VaultID, still invitation: TokenHash?, _ session: SyncSession?) async throws -> SyncVault {
        if let session {
            guard let visit = try await store.visit(session.token, at: effects.now()) else {
                throw SyncError.sessionRequired
            }
            return visit.vault
        }
        guard let vault = try await store.vault(id) else { throw SyncError.sessionRequired }
        if let invitation, vault.invitation != invitation { throw SyncError.sessionRequired }
        return vault
    }

    private func take(_ upload: Upload, _ vault: SyncVault, _ slot: inout VaultLog?) async throws -> Stored {
        let id = vault.id
        var log = try await current(vault, &slot)
        var untouched: VaultLog?
        var upload = upload
        let batch: SyncBatch
        do {
            let known = upload.records.filter { $0.blob != nil && log.graph.contains($0.entry.hash) }
            if !known.isEmpty {
                upload.withoutBlob = try await store.entriesWithoutBlob(of: id, among: known.map(\.entry.hash))
            }
            if let account = vault.account {
                let others = try await store.vaults(of: account).filter { $0.id != id }
                upload.room = limits.accountBytes - others.reduce(0) { $0 + $1.bytes }
            }
            if upload.isSimple(in: log) {
                batch = try UploadCheck.check(upload, &log, limits, isStoredFirst: true)
            } else {
                // A refusal in the middle must leave the log as it was. The copy costs less than reading the log again.
                var trial = log
                if vault.circleRoot == nil, let root = upload.circleRoot {
                    try UploadCheck.checkBeginning(upload, log, limits)
                    // With a circle other entries count, so the whole log is read again.
                    try countReading(of: vault)
                    trial = try await VaultLog(vault, circle: root, store, scheme)
                }
                batch = try UploadCheck.check(upload, &trial, limits)
                untouched = log
                log = trial
            }
        } catch {
            // An entry of a device in a dispute can decide the dispute against it, and is refused after it was taken. A log with more
            // entries than the store would let others in that name it.
            guard log.graph.count == Int(vault.head) else { throw error }
            log.forgetChecked()
            slot = log
            throw KeptRefusal(error: error)
        }
        guard !batch.isEmpty else {
            slot = log
            return Stored(vault: vault, count: 0, evidence: [])
        }
        let stored: SyncVault
        do {
            stored = try await store.append(batch, to: id)
        } catch {
            // Nobody knows whether the store has the batch. If it has the entries, the vault has a later head, and the next request takes
            // them into the log as it was before. Blobs alone do not show in the head. A single entry is in the log already if it begins a
            // chain or tells news of the circle: then the log is read again.
            if log.hasChecked {
                log.forgetChecked()
                untouched = log
            }
            guard let untouched, !batch.records.isEmpty else { throw error }
            slot = untouched
            throw KeptRefusal(error: error)
        }
        log.note(batch, stored: stored)
        slot = log
        news.tell(id)
        return Stored(vault: stored, count: batch.records.count, evidence: batch.evidence)
    }

    /// The log of a vault as the store has it.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - slot: The log in memory, if it is there; `nil` afterwards.
    ///   - isUpkeep: Whether no device asks for it.
    /// - Returns: The log.
    /// - Throws: ``SyncError`` with `too_many_requests` if devices made the server read too much, or `SyncStoreError`.
    func current(_ vault: SyncVault, _ slot: inout VaultLog?, isUpkeep: Bool = false) async throws -> VaultLog {
        // A vault that was deleted and brought again has another order.
        guard var log = slot.take(), log.vault.order == vault.order, log.vault.circleRoot == vault.circleRoot,
            log.vault.head <= vault.head
        else {
            if !isUpkeep { try countReading(of: vault) }
            return try await VaultLog(vault, circle: vault.circleRoot, store, scheme)
        }
        if log.vault.head < vault.head { try await log.catchUp(vault, store) }
        return log
    }

    /// Counts the reading of a whole log, for the account or the vault whose device needs it.
    ///
    /// An account with vaults that do not fit into memory together could make the server read the largest ones with each request, and
    /// so could a device of a vault without a circle that names a beginning which is refused.
    private func countReading(of vault: SyncVault) throws {
        guard let wait = readingRate.take(vault.head, by: MemoryOwner(vault), at: effects.now()) else { return }
        throw SyncError(.tooManyRequests, "The service has read the log of the vault too often.", retryAfter: wait)
    }

    /// Whether a vault can still be brought with its invitation.
    func isBeingBrought(_ vault: SyncVault) -> Bool {
        vault.invitation != nil && effects.now() < vault.createdAt + SyncLimits.bringingLifetime
    }

    /// Stores a new vault.
    func create(_ upload: Upload, by invitation: TokenHash) async throws -> Stored {
        guard let first = upload.records.first?.entry, case .genesis = first.entry.operation else {
            throw SyncError(.vaultNotValid, "The upload does not begin with the first entry of a vault.")
        }
        let vault = SyncVault(
            id: VaultID(genesis: first.payload),
            order: effects.randomBytes(SyncVault.orderLength),
            createdAt: effects.now(),
            invitation: invitation
        )
        if let there = try await store.vault(vault.id), there.invitation != invitation, !isBeingBrought(there) {
            throw SyncError(SyncStoreError(.vaultExists))
        }
        var log = VaultLog(new: vault, circle: upload.circleRoot, scheme)
        var upload = upload
        upload.invitation = invitation
        let batch = try UploadCheck.check(upload, &log, limits)
        let stored = try await store.create(
            vault,
            batch,
            limit: limits.vaultsOfAccount,
            room: limits.accountBytes,
            at: effects.now()
        )
        let isNew = stored.order == vault.order
        return Stored(vault: stored, count: isNew ? batch.records.count : 0, evidence: isNew ? batch.evidence : [])
    }
}
