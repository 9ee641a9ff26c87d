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
        /// Entries that were dropped are needed: they must be read again.
        case needsDropped
        /// There are other entries of this device: nothing was taken, and nothing must be written.
        case hasOwnEntries
    }

    private let vault: Vault
    private let limit: WaitingLimit
    /// Entries that wait for others.
    private(set) var waiting: [LogRecord] = []
    private var dropped = DroppedEntries()
    /// Whether the last entries that were offered came after the removal of this device.
    private var isOut = false
    private var hasDroppedWhileOut = false
    /// Whether entries of devices outside the circle were offered: a file in a folder is read once, and the person must know for longer.
    private var hasStrangers = false

    /// Of devices that wrote more than a reader takes, at most so many entries wait until another device names them.
    private static let surplusLimit = 1_000

    init(_ vault: Vault, _ limit: WaitingLimit) { (self.vault, self.limit) = (vault, limit) }

    /// Takes entries, together with those that wait.
    ///
    /// - Throws: `VaultError`, as `Vault.take(_:)`.
    func take(_ new: [LogRecord], _ report: inout SyncReport) async throws -> Outcome {
        defer { report.hasStrangers = hasStrangers }
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
        report.lacksHeader = taken.lacksHeader
        report.note(taken.troubles)
        hasStrangers = hasStrangers || taken.hasStrangers
        report.hasNewHeader = report.hasNewHeader || taken.hasNewHeader
        guard !taken.troubles.contains(.hasOwnEntries) else {
            waiting = []
            return .hasOwnEntries
        }
        isOut = taken.troubles.contains(.removedHere)
        let refused = taken.refused
        waiting = try await vault.unknown(records).filter { !refused.contains($0.entry.hash) }
        let removers = try await vault.removers()
        if hasDroppedWhileOut, removers.isEmpty {
            // This device is back, and must have all that it read before.
            (waiting, dropped, hasDroppedWhileOut) = ([], DroppedEntries(), false)
            return .needsDropped
        }
        if removers.isEmpty { waiting = limited(waiting, surplus: taken.surplus) }
        guard try await !findsWanted(removers) else {
            waiting = []
            return .needsDropped
        }
        let others = waiting.filter { !dropped.wanted.contains($0.entry.hash) }
        guard !limit.allows(others) || !limit.ofWanted.allows(waiting) else { return .taken }
        guard !removers.isEmpty else {
            waiting = []
            return .dropped
        }
        guard try await dropUnneeded(removers) else {
            waiting = []
            return .needsDropped
        }
        return .taken
    }

    /// Drops what waits while this device is out, but for what is needed.
    ///
    /// What shows that its removal does not count may come much later, and name what waits. So what is dropped is remembered, and is read
    /// again if it is needed. Entries that nobody signed are not remembered.
    ///
    /// - Returns: Whether everything that is needed waits: `false` if it must be read again.
    private func dropUnneeded(_ removers: Set<DeviceID>) async throws -> Bool {
        hasDroppedWhileOut = true
        let signed = try await vault.signed(waiting, admitted: dropped.admitted)
        let records = waiting.filter { signed.contains($0.entry.hash) }
        let helpers = helpers(in: records, removers)
        let hasAdmitted = dropped.admit(by: helpers)
        dropped.hasUnsigned = dropped.hasUnsigned || records.count < waiting.count
        let kept = Set(helpers.map(\.entry.hash))
        for record in records where !kept.contains(record.entry.hash) && !dropped.wanted.contains(record.entry.hash) {
            dropped.note(record)
        }
        let needed = dropped.want(helpers, records)
        waiting = records.filter { kept.contains($0.entry.hash) || dropped.wanted.contains($0.entry.hash) }
        guard needed.isSubset(of: signed), !hasAdmitted else { return false }
        guard !limit.ofWanted.allows(waiting) else { return true }
        // Stolen devices wrote that much: those that joined since then, or else those that wrote most.
        let known = try await vault.knownDevices()
        let shares = Dictionary(grouping: waiting, by: \.entry.entry.device).map { device, records in
            (device, known.contains(device) ? limit.share(of: records) : .infinity)
        }
        for (device, _) in shares.sorted(by: { $0.1 > $1.1 }) where !limit.ofWanted.allows(waiting) {
            dropped.leave(device, waiting)
            waiting.removeAll { $0.entry.entry.device == device }
        }
        return true
    }

    /// Entries that may show that the removal of this device does not count: operations on the circle, and what tells of them.
    ///
    /// Who removed this device cannot bring it back. The signatures of the records were checked.
    private func helpers(in records: [LogRecord], _ removers: Set<DeviceID>) -> [LogRecord] {
        let operations = Set(records.lazy.filter(\.changesCircle).map(\.entry.hash))
        var counts: [DeviceID: Int] = [:]
        return records.filter { record in
            let device = record.entry.entry.device
            guard !removers.contains(device), counts[device, default: 0] < limit.helpers,
                record.changesCircle || record.names.contains(where: operations.contains)
            else { return false }
            counts[device, default: 0] += 1
            return true
        }
    }

    /// Leaves out entries of devices that wrote more than a reader takes, and remembers them.
    private func limited(_ records: [LogRecord], surplus: Set<[UInt8]>) -> [LogRecord] {
        guard !surplus.isEmpty || !dropped.isEmpty else { return records }
        var (kept, bytes) = (0, 0)
        return records.filter { record in
            let hash = record.entry.hash
            let isSurplus = surplus.contains(hash) || record.entry.entry.previous.map(dropped.contains) ?? false
            guard isSurplus, !dropped.wanted.contains(hash) else { return true }
            // What others wait for must have room beside them.
            guard kept >= Self.surplusLimit || bytes + record.size > limit.bytes / 4 else {
                (kept, bytes) = (kept + 1, bytes + record.size)
                return true
            }
            dropped.note(record)
            return false
        }
    }

    /// Whether entries that were dropped are needed, so that they must be read again: an entry of another device needs them.
    ///
    /// While this device is out, they are needed only for what may bring it back.
    private func findsWanted(_ removers: Set<DeviceID>) async throws -> Bool {
        guard !dropped.isEmpty else { return false }
        let isOut = !removers.isEmpty
        let roots = waiting.filter { isOut ? !removers.contains($0.entry.entry.device) : dropped.areNamed(by: $0) }
        let signed = try await vault.signed(roots, admitted: dropped.admitted)
        let records = roots.filter { signed.contains($0.entry.hash) }
        let needing = isOut ? helpers(in: records, removers) : records
        let hasAdmitted = dropped.admit(by: needing)
        return !dropped.want(needing, waiting).isEmpty || hasAdmitted
    }

    /// Forgets the entries that wait, because they are read again.
    func forget() { (waiting, isOut, hasStrangers) = ([], false, false) }
}
