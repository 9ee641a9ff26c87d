internal import WardLog
package import WardVault

/// Brings an open vault and a folder to the same state: takes what other devices wrote, then writes what this device wrote.
///
/// One value serves one vault and one folder for as long as the vault is open. It remembers which files it has read, and which
/// entries still wait for others. Nothing of that must be kept: a new value reads the folder again.
///
/// Only the vault's file is the truth. So a sync can be stopped at any moment, and the next one goes on.
package actor FolderSync {
    private let vault: Vault
    private let remote: FolderRemote
    private let progress: SyncProgress.Report
    private let now: @Sendable () -> ContinuousClock.Instant
    private var read: Set<SegmentIdentity> = []
    private let intake: Intake
    /// The last own entry that is in the folder, and the number up to which the names of the files have all numbers; `nil` before the
    /// folder was read.
    ///
    /// A vault that is recovered goes on as another device.
    private var written: (device: DeviceID, sequence: UInt64, named: UInt64)?
    /// The damaged files in the own folder that the last run found.
    private var damaged: Set<FolderTrouble> = []
    /// Whether a damaged file with entries of other devices was deleted in this run.
    private var hasLostCarried = false
    /// The entries in the folder that the vault knows, while it is read for the first time.
    private var present: Set<[UInt8]>? = []
    /// Entries of other devices that the folder lacks, and that these may still bring.
    private var later: Later?
    /// How many entries of other devices the vault had after the last run; `nil` before that.
    private var others: Int64?
    /// What was in question when the whole folder was read for data the last time.
    private var searched: DataInQuestion?

    private struct Later {
        var hashes: Set<[UInt8]>
        /// The devices that could write when these entries were left to them.
        let writers: Set<DeviceID>
        let since: ContinuousClock.Instant
    }

    /// How many bytes are read before they are taken.
    private static let batch = 16 << 20
    /// How many bytes of other devices' entries are written at once: a segment has room for them, with its header.
    private static let carriedAtOnce = SegmentLimits.segment - (1 << 10)
    /// How often everything is read again in one run, because entries are needed that were dropped.
    private static let mostRounds = 4
    /// How long a run reads.
    private static let longestPull = Duration.seconds(3_600)
    /// How long entries are left to their devices before the vault is asked again.
    private static let patience = Duration.seconds(3_600)

    /// Prepares a sync.
    ///
    /// - Parameters:
    ///   - vault: The vault, which must be unlocked when ``run()`` is called.
    ///   - remote: The folder, for the same vault.
    ///   - waiting: How much waits for other entries.
    ///   - progress: Told how far a run is.
    ///   - now: The clock by which a run ends its reading.
    package init(
        _ vault: Vault,
        with remote: FolderRemote,
        waiting: WaitingLimit = WaitingLimit(),
        progress: @escaping SyncProgress.Report = { _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.vault = vault
        self.remote = remote
        self.progress = progress
        self.now = now
        intake = Intake(vault, waiting)
    }

    /// Syncs once.
    ///
    /// - Returns: What was done, and what was not possible.
    /// - Throws: `VaultError` with `locked`, `diskFull` or `unavailable`, ``FolderError``, and `CancellationError` once the task is
    ///   cancelled. What was taken or written before stays.
    package func run() async throws -> SyncReport {
        var report = SyncReport()
        do { try remote.check() } catch {
            // What comes back in its place can be another folder.
            forget()
            throw error
        }
        // Others came from elsewhere, or a recovered vault goes on as another device: the folder may lack what they wrote.
        if let others, try await vault.countOfOthers() != others { forget() }
        if let written, let found = try remote.lastNumber(named: written.device), found < written.named {
            forget()
        }
        let question = written == nil ? try await vault.dataInQuestion() : searched
        var isWhole = try await pull(&report)
        // What is lacking here may be in files that were read before it was.
        if isWhole, let found = try await vault.dataInQuestion(), found != question {
            forget()
            searched = found
            isWhole = try await pull(&report)
        }
        if isWhole { searched = try await vault.dataInQuestion() }
        // A device that does not know what it wrote must not write on.
        guard !report.troubles.contains(.hasOwnEntries) else { return report }
        try await push(&report)
        // What the folder lacks is known only after all of it was read.
        if isWhole { try await carry(&report) }
        others = try await vault.countOfOthers()
        if hasLostCarried { forget() }
        return report
    }

    /// Forgets what was in the folder, so that it is compared again.
    private func forget() {
        (read, written, present, later, others) = ([], nil, [], nil, nil)
        hasLostCarried = false
        intake.forget()
    }

    // MARK: Taking

    /// Ends the reading of a batch.
    private struct BatchIsFull: Error {}

    /// Takes what is new in the folder.
    ///
    /// Somebody who always has one more file for this device must not keep it from writing, and from telling the person. So reading ends
    /// after an hour, and the next run goes on.
    ///
    /// - Returns: Whether everything was read.
    private func pull(_ report: inout SyncReport) async throws -> Bool {
        let device = try await vault.thisDevice()
        // What the members write is read, however many others have a folder there.
        let members = try await vault.writers().subtracting([device]).sorted()
        let began = now()
        // Each file is read once, also one that somebody changes all the time, so a folder of refused entries cannot keep this device busy.
        var tried: Set<SegmentIdentity.Name> = []
        var (isDone, isLate) = (false, false)
        var rounds = 0
        while !isDone {
            try Task.checkCancellation()
            var records: [LogRecord] = []
            var found: [SegmentIdentity] = []
            var size = 0
            do {
                report.folderTroubles = try remote.read(
                    first: [device] + members,
                    skipping: { file in
                        if read.contains(file) || tried.contains(file.name) { return true }
                        guard !Task.isCancelled, began.duration(to: now()) < Self.longestPull else {
                            isLate = true
                            return true
                        }
                        return false
                    }
                ) { (segment) throws(BatchIsFull) in
                    guard size < Self.batch else { throw BatchIsFull() }
                    found.append(segment.identity)
                    for record in segment.records {
                        size += record.size
                        records.append(record)
                    }
                }
                isDone = true
            } catch {}
            tried.formUnion(found.map(\.name))
            try Task.checkCancellation()
            // Not before: if the disk is full now, the files are read again.
            let outcome = try await intake.take(records, &report)
            try await note(records)
            switch outcome {
            case .taken: read.formUnion(found)
            case .dropped: read = []
            case .needsDropped where rounds < Self.mostRounds && !isLate:
                (read, tried, isDone) = ([], [], false)
                rounds += 1
            case .needsDropped: read = []
            case .hasOwnEntries:
                read = []
                return false
            }
            progress(SyncProgress(.taking, done: report.taken))
        }
        if isLate { report.folderTroubles.append(FolderTrouble(.read, remote.path(), .takesTooLong)) }
        return !isLate
    }

    /// Notes entries that are in the folder.
    private func note(_ records: [LogRecord]) async throws {
        guard present != nil || later != nil else { return }
        // Anybody who can write into the folder can fill it with entries that nobody signed.
        let hashes = Set(records.map(\.entry.hash))
        var known = hashes.subtracting(try await vault.unknown(hashes))
        // Data that is needed and is here must come into the folder.
        let complete = Set(records.lazy.filter { $0.blob != nil }.map(\.entry.hash))
        let bare = records.filter { $0.blob == nil && $0.blobHash != nil && !complete.contains($0.entry.hash) }
        known.subtract(try await vault.canFill(bare))
        present?.formUnion(known)
        later?.hashes.subtract(known)
    }

    // MARK: Writing

    private func push(_ report: inout SyncReport) async throws {
        try Task.checkCancellation()
        let device = try await vault.thisDevice()
        let damage = Set(report.folderTroubles.filter { remote.isDamage($0, of: device) })
        // What is damaged is written again. If the file stays all the same, another look changes nothing.
        if !damage.isSubset(of: damaged) { written = nil }
        damaged = damage
        let before = written.flatMap { $0.device == device ? $0 : nil }
        var last: UInt64
        var hasDamage = false
        if let before {
            last = before.sequence
        } else {
            let own = try await vault.ownEntries()
            let found = try remote.written(by: device) { own.contains($0.hash) }
            last = found.last
            hasDamage = found.troubles.contains(where: \.isDamage)
        }
        // A folder that is looked at every few seconds must not cost a reading of the whole log each time.
        while try await vault.lastOwnSequence() > last {
            try Task.checkCancellation()
            let records = try await vault.records(after: last)
            guard let end = records.last else { break }
            report.folderTroubles += try remote.write(records, of: device)
            report.written += records.count
            last = end.sequence
            progress(SyncProgress(.bringing, done: report.written))
        }
        if hasDamage, remote.removeDamaged(upTo: last, of: device, &report.folderTroubles) { hasLostCarried = true }
        guard before?.sequence != last else { return }
        let reached = try remote.lastNumber(named: device) ?? 0
        // The next run misses a file that was lost meanwhile.
        written = (device, last, max(min(last, reached), before?.named ?? 0))
    }

    /// Writes entries of devices that write no more, as into a new folder.
    private func carry(_ report: inout SyncReport) async throws {
        let writers = try await vault.writers()
        let found: (positions: [Int64], later: Set<[UInt8]>)
        if let present {
            found = try await vault.positionsToCarry { !present.contains($0) }
        } else if let later, !later.hashes.isEmpty,
            later.writers != writers || later.since.duration(to: now()) > Self.patience
        {
            // A removal names what the device wrote last, and nobody takes it without that.
            found = try await vault.positionsToCarry { later.hashes.contains($0) }
        } else {
            return
        }
        let device = try await vault.thisDevice()
        var rest = found.positions[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let records = try await vault.records(at: rest, upTo: rest.count, bytes: Self.carriedAtOnce)
            try remote.carry(records, by: device)
            report.written += records.count
            progress(SyncProgress(.bringing, done: report.written))
            rest = rest.dropFirst(records.count)
        }
        try Task.checkCancellation()
        present = nil
        later = Later(hashes: found.later, writers: writers, since: now())
    }
}
