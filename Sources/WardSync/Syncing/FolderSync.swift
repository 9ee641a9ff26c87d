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
    private var read: Set<SegmentIdentity> = []
    private var intake: Intake
    /// The last own entry that is in the folder; `nil` before the folder was read.
    ///
    /// A vault that is recovered goes on as another device.
    private var written: (device: DeviceID, sequence: UInt64)?
    /// The entries in the folder, while it is read for the first time.
    private var present: Set<[UInt8]>? = []

    /// How many bytes are read before they are taken.
    private static let batch = 16 << 20

    /// Prepares a sync.
    ///
    /// - Parameters:
    ///   - vault: The vault, which must be unlocked when ``run()`` is called.
    ///   - remote: The folder, for the same vault.
    package init(_ vault: Vault, with remote: FolderRemote) {
        self.vault = vault
        self.remote = remote
        intake = Intake(vault)
    }

    /// Syncs once.
    ///
    /// - Returns: What was done, and what was not possible.
    /// - Throws: `VaultError` with `locked`, `diskFull` or `unavailable`, and ``FolderError``. What was taken or written before
    ///   stays.
    package func run() async throws -> SyncReport {
        var report = SyncReport()
        try remote.check()
        try await pull(&report)
        // A device that does not know what it wrote must not write on.
        guard !report.troubles.contains(.hasOwnEntries) else { return report }
        try await push(&report)
        return report
    }

    // MARK: Taking

    /// Ends the reading of a batch.
    private struct BatchIsFull: Error {}

    private func pull(_ report: inout SyncReport) async throws {
        // Each file is read once, so a folder of refused entries cannot keep this device busy.
        var tried: Set<SegmentIdentity> = []
        var isDone = false
        while !isDone {
            var records: [LogRecord] = []
            var found: [SegmentIdentity] = []
            var size = 0
            do {
                report.folderTroubles = try remote.read(skipping: { read.contains($0) || tried.contains($0) }) {
                    (segment) throws(BatchIsFull) in
                    guard size < Self.batch else { throw BatchIsFull() }
                    found.append(segment.identity)
                    present?.formUnion(segment.records.map(\.entry.hash))
                    for record in segment.records {
                        size += record.entry.encoded.count + (record.blob?.count ?? 0)
                        records.append(record)
                    }
                }
                isDone = true
            } catch {}
            tried.formUnion(found)
            // Not before: if the disk is full now, the files are read again.
            switch try await intake.take(records, &report) {
            case .taken: read.formUnion(found)
            case .dropped: read = []
            case .hasOwnEntries: return read = []
            }
        }
    }

    // MARK: Writing

    private func push(_ report: inout SyncReport) async throws {
        let device = try await vault.thisDevice()
        var last: UInt64
        if let written, written.device == device {
            last = written.sequence
        } else {
            let own = try await vault.ownEntries()
            let found = try remote.written(by: device) { own.contains($0.hash) }
            last = found.last
        }
        // A folder that is looked at every few seconds must not cost a reading of the whole log each time.
        while try await vault.lastOwnSequence() > last {
            let records = try await vault.records(after: last)
            guard let end = records.last else { break }
            report.folderTroubles += try remote.write(records, of: device)
            report.written += records.count
            last = end.sequence
        }
        written = (device, last)
        guard let present else { return }
        // Entries of devices that write no more, as in a new folder.
        let lacking = try await vault.records(lackingIn: present)
        try remote.carry(lacking, by: device)
        report.written += lacking.count
        self.present = nil
    }
}
