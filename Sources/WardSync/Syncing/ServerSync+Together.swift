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
        return try await together([record], &queue)
    }

    /// Brings removals of this device last that do not count.
    ///
    /// The server ends the session of a device that is removed. So what shows that the removal does not count must be there before.
    ///
    /// - Returns: Whether the queue changed.
    func postponesRemoval(in records: [LogRecord], _ queue: inout UploadQueue) async throws -> Bool {
        let removals = queue.removals
        guard
            let new = records.first(where: { $0.removes(queue.device) && !removals.contains($0.entry.hash) }),
            try await vault.mayWrite(queue.device)
        else { return false }
        let hash = new.entry.hash
        queue.postpone(hash, try await late(removals.union([hash]), queue.positions))
        return true
    }

    /// Where removals of this device are that do not count, and what is built on them.
    func late(_ removals: Set<[UInt8]>, _ positions: [Int64]) async throws -> Set<Int64> {
        removals.isEmpty ? [] : try await vault.positions(buildingOn: removals, among: positions)
    }

    /// A removal of this device that does not count, if the server would not know that from what it has: with what shows it.
    ///
    /// - Returns: The upload; none if it is too much for one, so that the removal was left out; `nil` if the removal can go alone.
    func proof(of removal: LogRecord, _ queue: inout UploadQueue) async throws -> [LogRecord]? {
        // Who is removed must not keep that back.
        guard try await vault.mayWrite(queue.device), try await !isKnownVoid(upTo: 1, queue) else { return nil }
        let all = try await vault.records(
            at: queue.positions,
            upTo: ServerLimits.entries,
            bytes: ServerLimits.uploadBytes
        )
        var kept: [LogRecord] = []
        for record in all[...(all.lastIndex(where: \.changesCircle) ?? 0)] {
            // What a member writes may name what does not count.
            if let reason = queue.reason(record), reason != .entryVoid || queue.skipped[record.entry.hash] != nil {
                queue.leave(record, reason, at: kept.count)
                continue
            }
            kept.append(record)
            guard record.changesCircle, kept.count > 1, try await isKnownVoid(upTo: kept.count, queue) else { continue }
            if let together = try await together(kept, &queue) { return together }
            break
        }
        queue.leave(removal, .entryVoid)
        return []
    }

    /// Whether the server knows that removals of this device do not count, with the first entries of the queue.
    private func isKnownVoid(upTo count: Int, _ queue: UploadQueue) async throws -> Bool {
        try await vault.mayWrite(
            queue.device,
            lacking: Set(queue.positions.dropFirst(count)),
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
