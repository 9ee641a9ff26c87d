import HTTPTypes
import WardLog
import WardSyncRecords
import WardText

/// What a device brings.
struct Upload: Sendable {
    var records: [LogRecord]
    /// The entry that begins the circle, as the device says.
    var circleRoot: [UInt8]?
    /// The number of the last entry that the device knows.
    var ifMatch: Int64?
    /// The invitation of the vault, if the upload is a part of a vault that is brought.
    var invitation: TokenHash?
    /// The device that brings the entries; `nil` if a vault is brought with its invitation, or with a session of a recovery key.
    var bringer: DeviceID?
    /// Whether a later upload names what this one has of removed devices, as the device says.
    var isNamedLater = false
    /// The time, in seconds since 1970.
    var now: Int64 = 0
    /// Entries of the upload that the store has without a blob.
    var withoutBlob: Set<[UInt8]> = []
    /// How long the vault can become before its account has used up its room.
    var room = Int64.max

    /// Whether hardly anything but the log itself can refuse the upload after it has begun to take it.
    ///
    /// The log does not change if it refuses an entry. So such an upload, which nearly all are, needs no copy of the log.
    func isSimple(in log: VaultLog) -> Bool {
        guard records.count == 1, let record = records.first else { return false }
        guard circleRoot == nil || circleRoot == log.vault.circleRoot, !record.changesCircle else { return false }
        let device = record.entry.entry.device
        let hasBlob = record.blob != nil || record.blobHash == nil
        return hasBlob && !log.graph.isRemoved(device) && log.graph.chains(of: device) <= 1
    }
}

/// Checks an upload against the log of its vault, without a store.
struct UploadCheck {
    let upload: Upload
    let limits: SyncLimits
    private let isStoredFirst: Bool
    private var batch: SyncBatch
    private var filled: [(device: DeviceID, count: Int)] = []

    /// Checks an upload, and takes its entries into the log.
    ///
    /// The log must know the entry that begins the circle, if the upload names one for the first time.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - log: The log.
    ///   - limits: The limits.
    ///   - isStoredFirst: Whether an entry is only checked, if that is possible, and comes into the log when the store has it. The upload
    ///     must be a simple one.
    /// - Returns: What is stored.
    /// - Throws: ``SyncError``. The log may have some of the entries then.
    static func check(
        _ upload: Upload,
        _ log: inout VaultLog,
        _ limits: SyncLimits,
        isStoredFirst: Bool = false
    ) throws -> SyncBatch {
        let batch = SyncBatch(head: log.vault.head)
        var check = UploadCheck(upload: upload, limits: limits, isStoredFirst: isStoredFirst, batch: batch)
        return try check.run(&log)
    }

    /// Checks what shows before the log knows which entry begins the circle.
    ///
    /// - Throws: ``SyncError``.
    static func checkBeginning(_ upload: Upload, _ log: VaultLog, _ limits: SyncLimits) throws {
        let batch = SyncBatch(head: log.vault.head)
        let check = UploadCheck(upload: upload, limits: limits, isStoredFirst: false, batch: batch)
        try check.checkCircle(try check.checkForm(log), log)
    }

    private mutating func run(_ log: inout VaultLog) throws -> SyncBatch {
        let new = try checkForm(log)
        try checkCircle(new, log)
        fill()
        try checkShares(new, log)
        try checkItems(new, log)
        try take(new, &log)
        try checkRemoved(new, log)
        try checkBlobs(new, log)
        batch.records = new
        // An entry that is only checked changes no key.
        if !log.hasChecked {
            let keys = VaultLog.keys(log.graph)
            if keys != log.keys { batch.keys = keys }
        }
        if log.vault.circleRoot == nil { batch.circleRoot = upload.circleRoot }
        batch.endsBringing = upload.invitation == nil
        log.note(filled)
        return batch
    }

    /// Checks what an entry alone shows, and finds the entries that are new.
    private func checkForm(_ log: VaultLog) throws -> [LogRecord] {
        var seen: Set<[UInt8]> = []
        for record in upload.records {
            guard seen.insert(record.entry.hash).inserted else {
                throw refusal(.entryRepeated, "The upload has an entry twice.", record)
            }
            // Nobody can check what belongs to an operation of a later version.
            let isBlobKnown = record.blob == nil || record.blobHash != nil
            guard isBlobKnown, record.isBlobRight else {
                throw refusal(.blobWrong, "A blob is not the one that its entry names.", record)
            }
        }
        return upload.records.filter { !log.graph.contains($0.entry.hash) }
    }

    /// Operations of the circle are made by what their device knows, so they are refused if there is more.
    private func checkCircle(_ new: [LogRecord], _ log: VaultLog) throws {
        if let said = upload.circleRoot, let root = log.vault.circleRoot, said != root {
            throw SyncError(.circleRootDiffers, "The server was told that another entry begins the circle.")
                .with("circle", .string(Hex.encode(root)))
        }
        let known = log.vault.circleRoot ?? upload.circleRoot
        if let operation = new.first(where: \.isOfCircle), known == nil {
            throw refusal(.circleRootRequired, "Name the entry that begins the circle in Ward-Circle.", operation)
        }
        if log.vault.circleRoot == nil, let root = upload.circleRoot {
            guard new.contains(where: { $0.entry.hash == root && $0.beginsCircle }) else {
                throw SyncError(.circleRootNotFound, "The entry that is to begin the circle is not in the upload.")
            }
        }
        // A vault that is brought has nobody else who wrote.
        guard log.vault.head > 0, let operation = new.first(where: \.changesCircle) else { return }
        guard let number = upload.ifMatch else {
            throw refusal(.ifMatchRequired, "An operation of the circle needs If-Match.", operation)
        }
        guard number == log.vault.head else {
            var error = SyncError(.headMoved, "Other entries arrived. Read them, and make the operation again.")
                .with("head", .integer(log.vault.head))
            error.fields[.eTag] = "\"\(log.vault.head)\""
            throw error
        }
    }

    /// Takes the entries into the log, with all signatures checked.
    private mutating func take(_ new: [LogRecord], _ log: inout VaultLog) throws {
        let offered = Set(new.map(\.entry.hash))
        let named = new.reduce(into: Set()) { $0.formUnion($1.entry.entry.seen.map(\.hash)) }
        let isUrgent = isUrgent(new)
        var missing: [[UInt8]] = []
        var waiting: LogRecord?
        var forking: [LogRecord] = []
        for record in new {
            let device = record.entry.entry.device
            let chains = log.graph.chains(of: device)
            // An honest device brings of others what it took, and it took more chains only because somebody named them.
            let isNamed = device != upload.bringer || named.contains(record.entry.hash)
            // The log must not change if this refuses the entry.
            try limits.checkPast(of: record.entry.entry, in: log, isUrgent: isUrgent)
            try limits.checkSteps(of: device, in: log, isUrgent: isUrgent)
            do {
                if isStoredFirst, try log.check(record.entry) { continue }
                if case .waits(let names) = try log.take(record.entry, isNamed: isNamed) {
                    missing += names.filter { !offered.contains($0) }
                    waiting = waiting ?? record
                }
            } catch LogError.surplus {
                throw surplus(record)
            } catch {
                throw refusal(.entryRefused, "The log does not take an entry: \(error.description).", record)
            }
            let now = log.graph.chains(of: device)
            guard now > chains, now > 1 else { continue }
            let isBounded = log.graph.hasCircle || log.graph.additionalChains <= SyncLimits.namedChains
            guard now <= (isBounded ? SyncLimits.namedChains : LogLimits.chains) else { throw surplus(record) }
            forking.append(record)
        }
        guard let waiting else { return noteEvidence(forking, log) }
        guard missing.isEmpty else {
            let found = Set(missing).sorted { $0.lexicographicallyPrecedes($1) }
            throw SyncError(.gap, "Entries name others that are not here.").with("missing", hashes: found)
        }
        throw refusal(.gap, "Each entry must come after those that it names.", waiting)
    }

    private func surplus(_ record: LogRecord) -> SyncError {
        refusal(.tooManyChains, "The device signed too many entries beside each other.", record)
    }

    private mutating func noteEvidence(_ records: [LogRecord], _ log: VaultLog) {
        guard !records.isEmpty else { return }
        for (record, first) in zip(records, log.graph.contradictions(of: records.map(\.entry.hash))) {
            guard let first else { continue }
            let entry = record.entry.entry
            batch.evidence.append(
                SyncEvidence(
                    device: entry.device,
                    sequence: Int64(clamping: entry.sequence),
                    first: first,
                    second: record.entry.hash
                )
            )
        }
    }

    /// Of a removed device only what counts is stored, and operations of the circle, and what others name.
    ///
    /// A device that did not hear of the removal may have named such an entry. It could not bring anything of its own if the entry were
    /// refused. The entries that it names may be too many for one upload.
    private func checkRemoved(_ new: [LogRecord], _ log: VaultLog) throws {
        // Who brings a vault does not know what its later parts name.
        guard upload.invitation == nil, new.contains(where: { log.graph.isRemoved($0.entry.entry.device) }) else {
            return
        }
        // A removed device has no session. What a member or a recovery key brings of it uses up the part of the removed device.
        let isNamedLater = upload.isNamedLater && upload.bringer.map { !log.graph.isRemoved($0) } ?? true
        var needed: Set<[UInt8]> = []
        for record in new.reversed() {
            let hash = record.entry.hash
            let isFree =
                needed.contains(hash) || record.changesCircle || !log.graph.isRemoved(record.entry.entry.device)
                || log.graph.isEffective(hash) || isNamedLater
            guard isFree else {
                throw refusal(.entryVoid, "An entry is of a device that was removed, and does not count.", record)
            }
            needed.formUnion(record.names)
        }
    }

    /// A blob that is needed must be there: otherwise somebody could bring an entry before its device does, without its blob.
    ///
    /// Who brings entries may have cleared a blob because of an entry that comes in a later upload. Nobody clears what is not old, so
    /// nobody brings what another device just wrote without its blob.
    private func checkBlobs(_ new: [LogRecord], _ log: VaultLog) throws {
        let without = new.filter { $0.blob == nil && $0.blobHash != nil && !mayHaveCleared($0, log) }
        guard !without.isEmpty else { return }
        let missing = log.graph.entriesThatNeedBlob(without)
        guard missing.isEmpty else {
            throw SyncError(.blobMissing, "Entries came without blobs that must still be kept.")
                .with("missing", hashes: missing.map(\.entry.hash))
        }
    }

    private func mayHaveCleared(_ record: LogRecord, _ log: VaultLog) -> Bool {
        switch record.entry.entry.operation {
        // Until a circle begins, one device brings what there is of all devices.
        case .revision, .content:
            log.graph.circleState == nil || upload.invitation != nil || record.entry.entry.device == upload.bringer
                || record.entry.entry.time.seconds <= upload.now - SyncLimits.cleared
        // A header from before the circle never leaves its device. A large vault comes in several uploads, and the circle in the last.
        case .header: log.graph.circleState == nil
        case .genesis, .enrol, .purge, .circle, .ignorable, .unknown: false
        }
    }

    private mutating func fill() {
        for record in upload.records where upload.withoutBlob.contains(record.entry.hash) {
            guard let blob = record.blob else { continue }
            batch.blobs.append(SyncBlob(entry: record.entry.hash, blob: blob))
            filled.append((record.entry.entry.device, blob.count))
        }
    }

    private func checkShares(_ new: [LogRecord], _ log: VaultLog) throws {
        var added: [DeviceID: (entries: Int64, bytes: Int64)] = [:]
        for record in new {
            let length = Int64(record.size)
            let (entries, bytes) = added[record.entry.entry.device] ?? (0, 0)
            added[record.entry.entry.device] = (entries + 1, bytes + length)
        }
        for (device, count) in filled {
            let (entries, bytes) = added[device] ?? (0, 0)
            added[device] = (entries, bytes + Int64(count))
        }
        let isUrgent = isUrgent(new)
        let (moreEntries, moreBytes) = isUrgent ? (SyncLimits.reservedEntries, SyncLimits.reservedBytes) : (0, 0)
        let entries = log.vault.head + Int64(new.count)
        let bytes = log.vault.bytes + added.values.reduce(0) { $0 + $1.bytes }
        guard entries <= limits.vaultEntries + moreEntries, bytes <= limits.vaultBytes + moreBytes else {
            throw SyncError.vaultFull
        }
        guard bytes - moreBytes <= upload.room else {
            throw SyncError(.quotaExceeded, "The account has no room left.").with("of", "account")
        }
        let authors = Set(log.shares.keys).union(new.map(\.entry.entry.device))
        guard authors.count <= SyncLimits.authors || authors.count == log.shares.count else {
            throw SyncError(.quotaExceeded, "Too many devices have written this vault.").with("of", "vault")
        }
        guard authors.count > 1 else { return }
        for (device, more) in added {
            let share = log.shares[device] ?? SyncShare(device: device, entries: 0, bytes: 0)
            guard share.entries + more.entries <= limits.part(limits.vaultEntries) + moreEntries,
                share.bytes + more.bytes <= limits.part(limits.vaultBytes) + moreBytes
            else { throw SyncError.partUsed(device) }
        }
    }

    /// Whether an upload has operations on the circle, and besides them only what these need.
    ///
    /// A device that could not bring its last changes, because the vault is full, can remove another one all the same.
    private func isUrgent(_ new: [LogRecord]) -> Bool {
        guard !new.isEmpty else { return false }
        var needed: Set<[UInt8]> = []
        return new.reversed().allSatisfy { record in
            guard record.changesCircle || needed.contains(record.entry.hash) else { return false }
            needed.formUnion(record.names)
            return true
        }
    }

    private func checkItems(_ new: [LogRecord], _ log: VaultLog) throws {
        var counts: [LogItemID: [DeviceID: Int]] = [:]
        for record in new {
            guard case .revision(let revision) = record.entry.entry.operation else { continue }
            let (item, device) = (revision.item, record.entry.entry.device)
            let count = (counts[item]?[device] ?? log.graph.changes(of: item, by: device)) + 1
            counts[item, default: [:]][device] = count
            guard count <= limits.revisionsOfItem else {
                throw refusal(.quotaExceeded, "A device has written too many revisions of one item.", record)
                    .with("of", "item")
            }
        }
    }

    private func refusal(_ code: SyncError.Code, _ message: String, _ record: LogRecord) -> SyncError {
        SyncError(code, message).with("entry", .string(Hex.encode(record.entry.hash)))
    }
}

extension LogRecord {
    /// Whether the entry is an operation on the circle of devices.
    var isOfCircle: Bool { if case .circle = entry.entry.operation { true } else { false } }

    var beginsCircle: Bool { if case .circle(.begin) = entry.entry.operation { true } else { false } }
}
