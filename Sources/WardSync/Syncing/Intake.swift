internal import WardLog
internal import WardVault

/// Takes the entries that a folder or a server shows into a vault, and keeps those that wait for others.
///
/// One sync has it, and nothing else.
final class Intake {
    /// What became of entries.
    enum Outcome {
        case taken
        /// Too many entries wait for others, so they were dropped: they must be read again.
        case dropped
        /// There are other entries of this device: nothing was taken, and nothing must be written.
        case hasOwnEntries
    }

    private let vault: Vault
    /// Entries that wait for others.
    private(set) var waiting: [LogRecord] = []

    /// Entries that wait for others: at most so many, and so many bytes.
    ///
    /// What is beyond them is read again.
    private static let limit = (count: 10_000, bytes: 64 << 20)
    /// Of devices that wrote more than a reader takes, at most so many entries wait until another device names them.
    private static let surplusLimit = 1_000
    /// Of entries that do not wait because of that limit, at most so many are remembered.
    private static let droppedLimit = 100_000
    private var dropped: [[UInt8]: Dropped] = [:]
    /// Those of them that an entry of another device names by now: they wait if they are read again.
    private var wanted: Set<[UInt8]> = []
    /// Whether the last entries that were offered came after the removal of this device.
    private var isOut = false

    /// An entry that does not wait.
    private struct Dropped {
        let device: DeviceID
        let previous: [UInt8]?
    }

    init(_ vault: Vault) { self.vault = vault }

    /// Takes entries, together with those that wait.
    ///
    /// - Throws: `VaultError`, as `Vault.take(_:)`.
    func take(_ new: [LogRecord], _ report: inout SyncReport) async throws -> Outcome {
        let device = try await vault.thisDevice()
        // Only something new can show that the removal does not count.
        if isOut, new.isEmpty, try await !vault.mayWrite(device) {
            if !report.troubles.contains(.removedHere) { report.troubles.append(.removedHere) }
            return .taken
        }
        var records = waiting + new
        // What this device wrote is shown too.
        let own = Set(records.lazy.filter { $0.entry.entry.device == device }.map(\.entry.hash))
        if !own.isEmpty {
            let known = try await vault.known(own: own)
            records.removeAll { known.contains($0.entry.hash) }
        }
        guard !records.isEmpty else { return .taken }
        let taken = try await vault.take(records)
        report.taken += taken.taken
        report.items.formUnion(taken.items)
        report.missing = taken.missing
        // What came without its blob before was offered again, and may have become old enough.
        report.troubles.removeAll { if case .withheld = $0 { true } else { false } }
        report.troubles += taken.troubles.filter { !report.troubles.contains($0) }
        report.hasNewHeader = report.hasNewHeader || taken.hasNewHeader
        guard !taken.troubles.contains(.hasOwnEntries) else {
            waiting = []
            return .hasOwnEntries
        }
        isOut = taken.troubles.contains(.removedHere)
        let refused = taken.refused
        waiting = limited(
            try await vault.unknown(records).filter { !refused.contains($0.entry.hash) },
            surplus: taken.surplus
        )
        guard !findsWanted() else {
            waiting = []
            return .dropped
        }
        let size = waiting.reduce(0) { $0 + $1.entry.encoded.count + ($1.blob?.count ?? 0) }
        guard waiting.count > Self.limit.count || size > Self.limit.bytes else { return .taken }
        waiting = []
        // What comes after a removal is read once: it is hardly ever for this device.
        return isOut ? .taken : .dropped
    }

    /// Leaves out entries of devices that wrote more than a reader takes, and remembers them.
    private func limited(_ records: [LogRecord], surplus: Set<[UInt8]>) -> [LogRecord] {
        guard !surplus.isEmpty || !dropped.isEmpty else { return records }
        var kept = 0
        return records.filter { record in
            let (hash, entry) = (record.entry.hash, record.entry.entry)
            let isSurplus = surplus.contains(hash) || entry.previous.map { dropped[$0] != nil } ?? false
            guard isSurplus, !wanted.contains(hash) else { return true }
            guard kept >= Self.surplusLimit else {
                kept += 1
                return true
            }
            if dropped.count < Self.droppedLimit {
                dropped[hash] = Dropped(device: entry.device, previous: entry.previous)
            }
            return false
        }
    }

    /// Whether entries that did not wait are named by an entry of another device, so that they must be read again.
    private func findsWanted() -> Bool {
        guard !dropped.isEmpty else { return false }
        let before = wanted.count
        for record in waiting {
            for name in record.names where dropped[name].map({ $0.device != record.entry.entry.device }) ?? false {
                var next: [UInt8]? = name
                while let hash = next, let found = dropped.removeValue(forKey: hash) {
                    wanted.insert(hash)
                    next = found.previous
                }
            }
        }
        return wanted.count > before
    }

    /// Forgets the entries that wait, because they are read again.
    func forget() { (waiting, isOut) = ([], false) }
}
