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

    init(_ vault: Vault) { self.vault = vault }

    /// Takes entries, together with those that wait.
    ///
    /// - Throws: `VaultError`, as `Vault.take(_:)`.
    func take(_ new: [LogRecord], _ report: inout SyncReport) async throws -> Outcome {
        var records = waiting + new
        let device = try await vault.thisDevice()
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
        // What comes after a removal is never for this device.
        guard !taken.troubles.contains(.removedHere) else {
            waiting = []
            return .taken
        }
        let refused = taken.refused
        var surplus = 0
        waiting = try await vault.unknown(records).filter { record in
            if taken.surplus.contains(record.entry.hash) { surplus += 1 }
            return !refused.contains(record.entry.hash)
                && (surplus <= Self.surplusLimit || !taken.surplus.contains(record.entry.hash))
        }
        let size = waiting.reduce(0) { $0 + $1.entry.encoded.count + ($1.blob?.count ?? 0) }
        guard waiting.count > Self.limit.count || size > Self.limit.bytes else { return .taken }
        waiting = []
        return .dropped
    }

    /// Forgets the entries that wait, because they are read again.
    func forget() { waiting = [] }
}
