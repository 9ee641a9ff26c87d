internal import WardLog
internal import WardVault

/// Uploads that a server takes only as a whole.
extension ServerSync {
    /// An entry of a member with what it names of entries that do not count: a server takes those only together with it.
    ///
    /// It is tried once for each entry, and not with more than one upload can have.
    func rejoin(_ record: LogRecord, _ queue: inout UploadQueue) async throws -> [LogRecord]? {
        guard queue.skipped[record.entry.hash] == nil, try await vault.mayWrite(record.entry.entry.device),
            queue.rejoined.insert(record.entry.hash).inserted
        else { return nil }
        var trial = queue
        guard let together = try await together([record], &trial) else { return nil }
        guard let circle = try await disputed(queue) else {
            queue = trial
            return together
        }
        if try await letsIn(with: together.count, of: trial, circle) {
            queue = trial
            return together
        }
        return try await longer(than: 1, &queue, circle)
    }

    /// Brings entries that do not count before the member's entry that names them: all of them are too much for one upload.
    ///
    /// Each entry is put back once. Those of this device stay with what names them.
    ///
    /// - Returns: Whether the queue changed.
    func goesAhead(of record: LogRecord, _ queue: inout UploadQueue) async throws -> Bool {
        guard !queue.isAheadRefused, queue.skipped[record.entry.hash] == nil,
            try await vault.mayWrite(record.entry.entry.device)
        else { return false }
        var left: [Int64: (hash: [UInt8], names: [[UInt8]], isOperation: Bool)] = [:]
        var (names, seen): ([[UInt8]], Set<[UInt8]>) = (record.names, [])
        while let hash = names.popLast() {
            guard queue.skipped[hash] == .entryVoid, let position = queue.void[hash], seen.insert(hash).inserted,
                let found = try await vault.records(at: [position], upTo: 1, bytes: ServerLimits.uploadBytes).first
            else { continue }
            names += found.names
            guard found.entry.entry.device != queue.device, !queue.wentAhead.contains(hash) else { continue }
            left[position] = (hash, found.names, found.changesCircle)
        }
        var (ahead, operations): ([[UInt8]: Int64], [[UInt8]: Int64]) = ([:], [:])
        for (position, entry) in left.sorted(by: { $0.key < $1.key }) {
            let rests = entry.names.contains { queue.skipped[$0] != nil && ahead[$0] == nil && operations[$0] == nil }
            guard !rests else { continue }
            if entry.isOperation { operations[entry.hash] = position } else { ahead[entry.hash] = position }
        }
        guard !ahead.isEmpty else { return false }
        queue.goAhead(ahead, operations, of: record)
        return true
    }

    /// Brings removals of this device last that do not count.
    ///
    /// The server ends the session of a device that is removed. So what shows that the removal does not count must be there before.
    ///
    /// - Returns: Whether the queue changed.
    func postponesRemovals(in records: [LogRecord], _ queue: inout UploadQueue) async throws -> Bool {
        let removals = records.filter { $0.removes(queue.device) }
        guard !removals.isEmpty, try await vault.mayWrite(queue.device) else { return false }
        return try await postpones(removals, &queue)
    }

    /// Brings entries last, with what is built on them.
    ///
    /// - Returns: Whether the queue changed: `false` if that was done for all of them before.
    func postpones(_ records: [LogRecord], _ queue: inout UploadQueue) async throws -> Bool {
        let new = Set(records.map(\.entry.hash)).subtracting(queue.postponed)
        guard !new.isEmpty else { return false }
        queue.postpone(new, try await late(queue.postponed.union(new), queue.positions))
        return true
    }

    /// Where entries are that come last, and what is built on them.
    func late(_ postponed: Set<[UInt8]>, _ positions: [Int64]) async throws -> Set<Int64> {
        postponed.isEmpty ? [] : try await vault.positions(buildingOn: postponed, among: positions)
    }

    /// An upload after which the server still lets this device in.
    ///
    /// An operation on the circle that does not count can count for a server that lacks what takes it away: so goes a removal of this
    /// device, and also one of somebody who removed its author.
    ///
    /// - Parameters:
    ///   - batch: The first entries of the queue.
    ///   - isWhole: Whether the server takes them only together.
    ///   - queue: What is to be brought.
    /// - Returns: The first entries of the queue, more or fewer of them; `nil` if there is no such upload, so that the first entry must
    ///   wait.
    /// - Throws: `VaultError` with `locked`, `unavailable` or `damaged`.
    func safe(
        _ batch: [LogRecord],
        isWhole: Bool,
        _ queue: inout UploadQueue
    ) async throws -> [LogRecord]? {
        // What this device writes of items puts nobody out, and is brought without a reading of the log.
        if !isWhole, batch.allSatisfy({ $0.entry.entry.device == queue.device && !$0.changesCircle }) { return batch }
        guard let circle = try await disputed(queue), try await !letsIn(with: batch.count, of: queue, circle) else {
            return batch
        }
        if !isWhole {
            for count in (1..<max(1, batch.count)).reversed() where circle.contains(queue.positions[count]) {
                if try await letsIn(with: count, of: queue, circle) { return Array(batch[..<count]) }
            }
        }
        return try await longer(than: isWhole ? batch.count : 1, &queue, circle)
    }

    /// An upload of more of the first entries than a number, after which the server lets this device in.
    private func longer(
        than count: Int,
        _ queue: inout UploadQueue,
        _ circle: Set<Int64>
    ) async throws -> [LogRecord]? {
        let (positions, most) = (queue.positions, ServerLimits.uploadBytes)
        let records = try await vault.records(at: positions, upTo: ServerLimits.entries, bytes: most)
        var (rest, kept): (UploadQueue, [LogRecord]) = (queue, [])
        for (position, record) in zip(positions, records) {
            // What a member writes may name what does not count.
            if let reason = rest.reason(record), reason != .entryVoid || rest.skipped[record.entry.hash] != nil {
                rest.leave(record, reason, at: kept.count)
                continue
            }
            kept.append(record)
            guard kept.count > count, circle.contains(position) else { continue }
            var trial = rest
            guard let together = try await together(kept, &trial),
                try await letsIn(with: together.count, of: trial, circle)
            else { continue }
            queue = trial
            return together
        }
        return nil
    }

    /// The entries of which the circle consists, if the server could let this device in no more after some of them.
    ///
    /// - Returns: Their positions; `nil` if there is nothing to look at.
    private func disputed(_ queue: UploadQueue) async throws -> Set<Int64>? {
        let circle = try await vault.disputablePositions()
        // Who is removed must not keep that back. Who is not let in already has nothing to lose.
        guard !circle.isEmpty, try await vault.mayWrite(queue.device), try await letsIn(with: 0, of: queue, circle)
        else { return nil }
        return circle
    }

    /// Whether the server lets this device in that has the first entries of the queue, and of the circle nothing else of it.
    private func letsIn(with count: Int, of queue: UploadQueue, _ circle: Set<Int64>) async throws -> Bool {
        try await vault.mayWrite(
            queue.device,
            lacking: Set(queue.positions.dropFirst(count).filter(circle.contains)),
            without: Set(queue.skipped.keys)
        )
    }

    /// Entries of an upload that do not count and that no other one needs, of the devices of those that the server named.
    ///
    /// The server names the last one.
    func voidBefore(_ named: Set<[UInt8]>, _ batch: [LogRecord]) async throws -> [[UInt8]] {
        let devices = Set(batch.filter { named.contains($0.entry.hash) }.map(\.entry.entry.device))
        let suspects = batch.filter { devices.contains($0.entry.entry.device) && !$0.changesCircle }
        let void = try await vault.void(suspects.map(\.entry.hash))
        var (needed, found): (Set<[UInt8]>, [[UInt8]]) = ([], [])
        for record in batch.reversed() where !named.contains(record.entry.hash) {
            if void.contains(record.entry.hash), !needed.contains(record.entry.hash) {
                found.append(record.entry.hash)
            } else {
                needed.formUnion(record.names)
            }
        }
        return found
    }

    /// The first entries of the queue, with what they name of entries that were left out because they do not count.
    ///
    /// - Returns: The upload, which is the beginning of the queue; `nil` if the server does not take them all.
    private func together(_ records: [LogRecord], _ queue: inout UploadQueue) async throws -> [LogRecord]? {
        var left: [Int64: LogRecord] = [:]
        var names = records.flatMap(\.names)
        while let hash = names.popLast() {
            guard let reason = queue.skipped[hash] else { continue }
            guard reason == .entryVoid, let position = queue.void[hash] else { return nil }
            guard left[position] == nil else { continue }
            guard left.count + records.count < ServerLimits.entries,
                let void = try await vault.records(at: [position], upTo: 1, bytes: ServerLimits.uploadBytes).first
            else { return nil }
            left[position] = void
            names += void.names
        }
        let together = (left.map { ($0.key, $0.value) } + zip(queue.positions, records)).sorted { $0.0 < $1.0 }.map(\.1)
        guard together.reduce(0, { $0 + $1.encoded.count }) <= ServerLimits.uploadBytes else { return nil }
        queue.putBack(left, before: records.count)
        return together
    }
}
