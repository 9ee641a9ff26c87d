internal import WardLog
internal import WardVault

/// Bringing what a server lacks.
extension ServerSync {
    /// How often an upload is tried again before the run ends.
    private static let attempts = 5
    /// The longest time that a run waits because the server asks for it, in seconds.
    private static let longestWait: Int64 = 60

    /// What a run brings, and what it leaves out.
    private struct Queue {
        var positions: [Int64]
        /// Entries that the server does not take, and why.
        var skipped: [[UInt8]: ServerError.Code] = [:]
        /// Where those are that do not count, because their device was removed.
        var void: [[UInt8]: Int64] = [:]
        /// Entries that were sent together with what they name of those.
        var rejoined: Set<[UInt8]> = []
        /// The first one of this device.
        var firstOwn: (sequence: UInt64, reason: ServerError.Code)?
        /// Entries that were brought because others name them.
        var added: Set<[UInt8]> = []
        var attempts = 0
        /// Whether the numbers of new entries are not known.
        var mustRead = false
        /// Whether entries go together with the operation on the circle after them.
        var isTogether = false
    }

    /// Brings the entries that the server lacks.
    ///
    /// - Returns: Whether the server has answered to an upload.
    @discardableResult
    func push(_ report: inout SyncReport) async throws -> Bool {
        isBringing = true
        defer { isBringing = false }
        let device = try await vault.thisDevice()
        let beginning = beginnings
        var queue: Queue
        var lastQueued: UInt64 = 0
        if let present {
            // What the person changes from here on may not be in the queue.
            lastQueued = try await vault.lastSequenceForOthers()
            queue = Queue(positions: try await vault.positions(lackingIn: present))
        } else {
            // A vault that does not change costs no reading of its log.
            guard try await vault.lastOwnSequence() > state.written else { return false }
            queue = Queue(positions: try await vault.positions(afterOwn: state.written))
        }
        let wasBringingBack = isBringingBack
        var brought = 0
        while let batch = try await next(&queue, device) {
            let began = now()
            guard let receipt = try await upload(batch, &queue, &report) else { continue }
            notePass(since: began, isFull: batch.count < queue.positions.count)
            (queue.attempts, queue.isTogether) = (0, false)
            queue.positions.removeFirst(batch.count)
            brought += batch.count
            progress(SyncProgress(.bringing, done: brought, of: brought + queue.positions.count))
            present?.formUnion(batch.map(\.entry.hash))
            let own = batch.filter { $0.entry.entry.device == device }
            report.written += own.count
            report.brought += batch.count
            if wasBringingBack { report.broughtBack += Int(clamping: min(receipt.count, UInt64(batch.count))) }
            if let last = own.last { state.note(written: max(state.written, last.sequence)) }
            note(batch, receipt, &queue)
            try await keep()
        }
        // The server lost entries meanwhile, and the queue does not have them.
        guard beginning == beginnings else {
            report.serverTroubles = []
            return try await push(&report) || brought > 0
        }
        if present != nil {
            // This device's entries that were there before count too.
            let last = max(lastQueued, state.written)
            state.note(written: queue.firstOwn.map { min($0.sequence - 1, last) } ?? last)
        }
        present = nil
        isBringingBack = false
        state.isWhole = true
        if queue.mustRead { try await pull(from: order?.position.number ?? 0, &report) }
        try await keep()
        report.blocked = queue.firstOwn.map { ServerError($0.reason) }
        // What a removed device wrote after its removal is nobody's concern.
        let left = Set(queue.skipped.values).subtracting([.entryVoid]).sorted { $0.name < $1.name }
        report.serverTroubles += left.map { ServerError($0) }
        return brought > 0
    }

    /// The next upload: operations on the circle go alone, unless the server takes what they need only together with them.
    private func next(_ queue: inout Queue, _ device: DeviceID) async throws -> [LogRecord]? {
        while !queue.positions.isEmpty {
            let limit = queue.isTogether ? (ServerLimits.entries, ServerLimits.uploadBytes) : pace.limit(parts: parts)
            let records = try await vault.records(at: queue.positions, upTo: limit.0, bytes: limit.1)
            guard let first = records.first else { return nil }
            // What rests on an entry that the server does not take is not taken either.
            if let reason = reason(first, queue) {
                if reason == .entryVoid, let together = try await rejoin(first, &queue) { return together }
                leave(first, reason, device, &queue)
                continue
            }
            if queue.isTogether, let last = records.firstIndex(where: \.changesCircle),
                !records[...last].contains(where: { isNewlyLeftOut($0, queue) })
            {
                return leavingOut(records[...last], device, &queue)
            }
            return Array(records.prefix { $0.changesCircle == first.changesCircle && reason($0, queue) == nil })
        }
        return nil
    }

    /// An entry of a member with what it names of entries that do not count: a server takes those only together with it.
    ///
    /// It is tried once for each entry, and not with more than one upload can have.
    private func rejoin(_ record: LogRecord, _ queue: inout Queue) async throws -> [LogRecord]? {
        guard queue.skipped[record.entry.hash] == nil, try await vault.mayWrite(record.entry.entry.device),
            queue.rejoined.insert(record.entry.hash).inserted
        else { return nil }
        var found: [Int64: LogRecord] = [:]
        var names = record.names
        while let hash = names.popLast() {
            guard let reason = queue.skipped[hash] else { continue }
            guard reason == .entryVoid, let position = queue.void[hash] else { return nil }
            guard found[position] == nil else { continue }
            guard found.count + 1 < ServerLimits.entries,
                let void = try await vault.records(at: [position], upTo: 1, bytes: ServerLimits.uploadBytes).first
            else { return nil }
            found[position] = void
            names += void.names
        }
        let first = found.sorted { $0.key < $1.key }
        let batch = first.map(\.value) + [record]
        guard batch.reduce(0, { $0 + $1.encoded.count }) <= ServerLimits.uploadBytes else { return nil }
        for void in first { queue.skipped[void.value.entry.hash] = nil }
        queue.positions.insert(contentsOf: first.map(\.key), at: 0)
        return batch
    }

    /// Goes on without the first entry of the queue.
    private func leave(
        _ record: LogRecord,
        _ reason: ServerError.Code,
        _ device: DeviceID,
        _ queue: inout Queue
    ) {
        queue.skipped[record.entry.hash] = reason
        if reason == .entryVoid { queue.void[record.entry.hash] = queue.positions.first }
        if record.entry.entry.device == device, queue.firstOwn == nil { queue.firstOwn = (record.sequence, reason) }
        queue.positions.removeFirst()
    }

    /// Whether an entry rests on one that the server does not take, and was not looked at since: that is done when it is its turn.
    private func isNewlyLeftOut(_ record: LogRecord, _ queue: Queue) -> Bool {
        queue.skipped[record.entry.hash] == nil && reason(record, queue) != nil
    }

    /// The records that the server may take; those that it refused leave the queue.
    private func leavingOut(
        _ records: ArraySlice<LogRecord>,
        _ device: DeviceID,
        _ queue: inout Queue
    ) -> [LogRecord] {
        let refused = records.map { queue.skipped[$0.entry.hash] }
        for (record, reason) in zip(records, refused) {
            guard let reason, record.entry.entry.device == device, queue.firstOwn == nil else { continue }
            queue.firstOwn = (record.sequence, reason)
        }
        for index in refused.indices.reversed() where refused[index] != nil { queue.positions.remove(at: index) }
        return zip(records, refused).filter { $0.1 == nil }.map(\.0)
    }

    private func reason(_ record: LogRecord, _ queue: Queue) -> ServerError.Code? {
        if let own = queue.skipped[record.entry.hash] { return own }
        guard !queue.skipped.isEmpty else { return nil }
        return record.names.lazy.compactMap { queue.skipped[$0] }.first
    }

    /// Sends an upload.
    ///
    /// - Returns: What the server did; `nil` if the queue changed and its beginning is to be sent again.
    private func upload(
        _ batch: [LogRecord],
        _ queue: inout Queue,
        _ report: inout SyncReport
    ) async throws -> ServerReceipt? {
        let root = try await vault.circleRoot()
        let hasRoot = state.hasRoot || batch.contains { $0.entry.hash == root }
        do {
            return try await connection.bring(
                batch,
                ifMatch: batch.contains(where: \.changesCircle) ? order?.position.number ?? 0 : nil,
                circle: hasRoot ? root : nil
            )
        } catch let error as ServerError {
            queue.attempts += 1
            switch error.code {
            case .equivocation:
                // The entries are stored all the same.
                queue.mustRead = true
                report.serverTroubles.append(error)
                return ServerReceipt(head: 0, count: 0)
            case .headMoved, .ifMatchRequired:
                guard queue.attempts < Self.attempts else { throw error }
                try await pull(from: order?.position.number ?? 0, &report)
                guard !report.troubles.contains(.hasOwnEntries) else { throw error }
            case .gap:
                try await add(error.hashes("missing"), to: &queue, error)
            case .blobMissing:
                try skip(error.hashes("missing"), batch, &queue, error)
            case .entryVoid where !queue.isTogether:
                // By what the server knows, the device was removed. The operation that says something else may need the entry.
                queue.isTogether = true
            case .quotaExceeded where !queue.isTogether && !batch.contains(where: \.changesCircle):
                // There is still room for an operation on the circle, with what it needs.
                queue.isTogether = true
            case .entryVoid, .entryRefused, .blobWrong, .tooManyChains:
                try skip(error.hashes("entry"), batch, &queue, error)
            case .busy, .tooManyRequests, .unavailable:
                guard queue.attempts < Self.attempts, let wait = error.retryAfter, wait <= Self.longestWait else {
                    throw error
                }
                try await sleep(.seconds(max(1, wait)))
            default: throw error
            }
            return nil
        }
    }

    /// Brings entries before others that name them, and after those that they name: a vault has its entries in such an order.
    private func add(_ missing: [[UInt8]], to queue: inout Queue, _ error: ServerError) async throws {
        let new = Set(missing).subtracting(queue.added)
        let positions = try await vault.positions(of: new)
        guard !positions.isEmpty else { throw error }
        queue.added.formUnion(new)
        queue.positions = Set(queue.positions).union(positions).sorted()
        queue.attempts = 0
    }

    /// Goes on without entries that the server does not take.
    private func skip(
        _ entries: [[UInt8]],
        _ batch: [LogRecord],
        _ queue: inout Queue,
        _ error: ServerError
    ) throws(ServerError) {
        let sent = Set(batch.map(\.entry.hash))
        let skipped = entries.filter { sent.contains($0) }
        guard !skipped.isEmpty else { throw error }
        for hash in skipped { queue.skipped[hash] = error.code }
        if error.code == .entryVoid {
            // The upload is the beginning of the queue.
            for (record, position) in zip(batch, queue.positions) where skipped.contains(record.entry.hash) {
                queue.void[record.entry.hash] = position
            }
        }
        queue.attempts = 0
    }

    /// Adds what was brought to the order, if nobody else brought something meanwhile.
    private func note(_ batch: [LogRecord], _ receipt: ServerReceipt, _ queue: inout Queue) {
        guard let order, !queue.mustRead, receipt.count == UInt64(batch.count),
            receipt.head == order.position.number + receipt.count
        else {
            queue.mustRead = true
            return
        }
        let isWhole = state.resume == order.position.number
        for record in batch { order.append(record.entry.hash) }
        if isWhole { state.resume = order.position.number }
    }
}
