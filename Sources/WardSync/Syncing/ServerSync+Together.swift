internal import WardLog
internal import WardVault

/// Uploads that a server takes only as a whole.
extension ServerSync {
    /// How often a removal of this device is brought together with what shows that it does not count.
    ///
    /// The server names what it does not take about once for each removed device.
    private static let mostProofs = 64

    /// An entry of a member with what it names of entries that do not count: a server takes those only together with it.
    ///
    /// It is tried once for each entry, and not with more than one upload can have.
    func rejoin(_ record: LogRecord, _ queue: inout UploadQueue) async throws -> [LogRecord]? {
        guard queue.skipped[record.entry.hash] == nil, try await vault.mayWrite(record.entry.entry.device),
            queue.rejoined.insert(record.entry.hash).inserted
        else { return nil }
        return try await together([record], &queue)
    }

    /// A removal of this device that does not count, with everything up to the last operation on the circle.
    ///
    /// The server ends the session of a device that is removed. So what shows that the removal does not count cannot come later.
    ///
    /// - Returns: The upload; `nil` if the device is removed, or if it is too much for one upload.
    func withProof(_ queue: inout UploadQueue) async throws -> [LogRecord]? {
        guard queue.proofs < Self.mostProofs, try await vault.mayWrite(queue.device) else { return nil }
        queue.proofs += 1
        let all = try await vault.records(
            at: queue.positions,
            upTo: ServerLimits.entries,
            bytes: ServerLimits.uploadBytes
        )
        guard let last = all.lastIndex(where: \.changesCircle) else { return nil }
        var kept: [LogRecord] = []
        for record in all[...last] {
            // What a member writes may name what does not count.
            if let reason = queue.reason(record), reason != .entryVoid || queue.skipped[record.entry.hash] != nil {
                queue.leave(record, reason, at: kept.count)
            } else {
                kept.append(record)
            }
        }
        guard let last = kept.lastIndex(where: \.changesCircle), last > 0 else { return nil }
        return try await together(Array(kept[...last]), &queue)
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
