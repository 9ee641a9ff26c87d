internal import WardLog
internal import WardVault

/// Bringing what a server lacks.
extension ServerSync {
    /// How often an upload is tried again before the run ends.
    private static let attempts = 5
    /// How often entries are added that the server lacks, before everything is read again.
    private static let mostGaps = 3
    /// The longest time that a run waits because the server asks for it, in seconds.
    static let longestWait: Int64 = 60

    /// Brings the entries that the server lacks.
    ///
    /// - Returns: Whether the server has answered to an upload.
    @discardableResult
    func push(_ report: inout SyncReport) async throws -> Bool {
        isBringing = true
        defer { isBringing = false }
        let device = try await vault.thisDevice()
        let beginning = beginnings
        var queue: UploadQueue
        var lastQueued: UInt64 = 0
        if let present {
            // What the person changes from here on may not be in the queue.
            lastQueued = try await vault.lastSequenceForOthers()
            let positions = try await vault.positions(lackingIn: present, withoutData: withoutData)
            queue = UploadQueue(of: device, positions: positions)
        } else {
            // A vault that does not change costs no reading of its log.
            guard try await vault.lastOwnSequence() > state.written else { return false }
            queue = UploadQueue(of: device, positions: try await vault.positions(afterOwn: state.written))
        }
        let wasBringingBack = isBringingBack
        var brought = 0
        while let batch = try await next(&queue) {
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
        // The server lacks more than was in the queue.
        guard beginning == beginnings, !queue.isOver else {
            // Entries that contradict each other are there already.
            report.serverTroubles.removeAll { $0.code != .equivocation }
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
        if !isOnce { try await order?.forgetEntries() }
        report.blocked = queue.firstOwn.map { ServerError($0.reason) }
        // What a removed device wrote after its removal is nobody's concern.
        let left = Set(queue.skipped.values).subtracting([.entryVoid]).sorted { $0.name < $1.name }
        // It may have been offered twice in this run.
        report.serverTroubles += left.map { ServerError($0) }.filter { !report.serverTroubles.contains($0) }
        return brought > 0
    }

    /// The next upload: operations on the circle go alone, unless the server takes what they need only together with them.
    private func next(_ queue: inout UploadQueue) async throws -> [LogRecord]? {
        while !queue.positions.isEmpty {
            let limit = queue.isTogether ? (ServerLimits.entries, ServerLimits.uploadBytes) : pace.limit(parts: parts)
            let records = try await vault.records(at: queue.positions, upTo: limit.0, bytes: limit.1)
            guard let first = records.first else { return nil }
            if queue.reason(first) != nil {
                if let together = try await leaveFirst(records, &queue) { return together }
                continue
            }
            if queue.isAhead(first) {
                let ahead = Array(records.prefix { queue.isAhead($0) && queue.reason($0) == nil })
                if let safe = try await safe(ahead, isWhole: true, &queue) { return safe }
                queue.giveUpAhead(.entryVoid)
                continue
            }
            if try await postponesRemovals(in: records, &queue) { continue }
            let batch: [LogRecord]
            let isWhole: Bool
            if queue.isTogether, let last = records.firstIndex(where: \.changesCircle),
                !queue.postponed.contains(records[last].entry.hash),
                !records[...last].contains(where: queue.isNewlyLeftOut)
            {
                (batch, isWhole) = (queue.leavingOut(records[...last]), true)
            } else {
                let next = records.prefix { $0.changesCircle == first.changesCircle && queue.reason($0) == nil }
                (batch, isWhole) = (Array(next), false)
            }
            if let safe = try await safe(batch, isWhole: isWhole, &queue) { return safe }
            // What takes it away may come later in the queue.
            if try await postpones([batch[0]], &queue) { continue }
            queue.leave(batch[0], .entryVoid)
        }
        return nil
    }

    /// Goes on without the first entries that the server does not take, and without what rests on them.
    ///
    /// - Returns: An upload that the server takes all the same, of the first one that is left.
    private func leaveFirst(_ records: [LogRecord], _ queue: inout UploadQueue) async throws -> [LogRecord]? {
        for record in records {
            guard let reason = queue.reason(record) else { return nil }
            if reason == .entryVoid {
                if let together = try await rejoin(record, &queue) { return together }
                if try await goesAhead(of: record, &queue) { return nil }
            }
            queue.leave(record, reason)
        }
        return nil
    }

    /// Sends an upload.
    ///
    /// - Returns: What the server did; `nil` if the queue changed and its beginning is to be sent again.
    private func upload(
        _ batch: [LogRecord],
        _ queue: inout UploadQueue,
        _ report: inout SyncReport
    ) async throws -> ServerReceipt? {
        let root = try await vault.circleRoot()
        let hasRoot = state.hasRoot || batch.contains { $0.entry.hash == root }
        let isAhead = batch.contains(where: queue.isAhead)
        do {
            return try await connection.bring(
                batch,
                ifMatch: batch.contains(where: \.changesCircle) ? order?.position.number ?? 0 : nil,
                circle: hasRoot ? root : nil,
                isNamedLater: isAhead
            )
        } catch let error as ServerError {
            queue.attempts += 1
            switch error.code {
            case .equivocation:
                return try await checkEquivocation(error, batch, &queue, &report)
            case .headMoved, .ifMatchRequired:
                guard queue.attempts < Self.attempts else { throw error }
                try await pull(from: order?.position.number ?? 0, &report)
                guard !report.troubles.contains(.hasOwnEntries) else { throw error }
            case .gap:
                if present == nil, lastGap != error.hashes("missing"), try await mustReadForGap(queue) {
                    try await readForGap(error, &report)
                    (queue.positions, queue.isOver) = ([], true)
                } else {
                    queue.gaps += 1
                    try await add(error.hashes("missing"), to: &queue, error)
                }
            case .blobMissing:
                try await skip(error.hashes("missing"), batch, &queue, error)
            case .entryVoid where isAhead, .quotaExceeded where isAhead: queue.giveUpAhead(error.code)
            case .entryVoid where !queue.isTogether:
                // By what the server knows, the device was removed. The operation that says something else may need the entry.
                queue.isTogether = true
            case .quotaExceeded where !queue.isTogether && !batch.contains(where: \.changesCircle):
                // There is still room for an operation on the circle, with what it needs.
                queue.isTogether = true
            case .entryVoid, .entryRefused, .blobWrong, .tooManyChains:
                try await skip(error.hashes("entry"), batch, &queue, error)
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

    /// Looks whether a device signed two entries with one sequence, and whether the upload was stored all the same.
    ///
    /// The word of the server accuses nobody: the other entry must be here. An honest server shows it before what it has just stored.
    ///
    /// - Returns: What the server did; `nil` if everything was read again, and another queue has what the server lacks.
    /// - Throws: ``ServerError`` with `server_answer_wrong` if the server shows nothing of that.
    private func checkEquivocation(
        _ error: ServerError,
        _ batch: [LogRecord],
        _ queue: inout UploadQueue,
        _ report: inout SyncReport
    ) async throws -> ServerReceipt? {
        try await pull(from: order?.position.number ?? 0, &report)
        guard !report.troubles.contains(.hasOwnEntries) else { throw error }
        guard try await hasFork(in: batch) else { throw ServerError(.wrongAnswer) }
        report.serverTroubles.append(error)
        guard let present else {
            try await compareAll(&report)
            guard !report.troubles.contains(.hasOwnEntries) else { throw error }
            (queue.positions, queue.isOver) = ([], true)
            return nil
        }
        let isStored = batch.map(\.entry.hash).allSatisfy { present.contains($0) || withoutData.contains($0) }
        guard isStored else { throw ServerError(.wrongAnswer) }
        queue.mustRead = true
        return ServerReceipt(head: 0, count: 0)
    }

    /// Whether the vault has two entries that the device of one of some entries signed with one sequence, or one of them waits here.
    private func hasFork(in batch: [LogRecord]) async throws -> Bool {
        if try await vault.hasFork(of: Set(batch.map(\.entry.entry.device))) { return true }
        let beside = intake.waiting.filter { record in
            batch.contains {
                $0.entry.entry.device == record.entry.entry.device && $0.sequence == record.sequence
                    && $0.entry.hash != record.entry.hash
            }
        }
        return try await !vault.signed(beside, admitted: [:]).isEmpty
    }

    /// Whether one gap after the other is too slow, or not safe.
    ///
    /// Each answer names only what is directly before. So everything is read again, and what the server lacks is brought. That is done at
    /// once where it matters who is removed: to judge that, it must be known what the server has.
    private func mustReadForGap(_ queue: UploadQueue) async throws -> Bool {
        if queue.gaps == Self.mostGaps { return true }
        return try await !vault.disputablePositions().isEmpty
    }

    /// Reads everything again because the server lacks what entries name that it is offered.
    ///
    /// The order stays as it is known: nothing says that the server lost something.
    private func readForGap(_ error: ServerError, _ report: inout SyncReport) async throws {
        lastGap = error.hashes("missing")
        try await compareAll(&report)
        guard !report.troubles.contains(.hasOwnEntries) else { throw error }
    }

    /// Reads everything again, so that it is known what the server lacks.
    func compareAll(_ report: inout SyncReport) async throws {
        let beginning = beginnings
        (present, withoutData) = ([], [])
        do {
            try await pull(from: 0, &report)
            if report.troubles.contains(.hasOwnEntries), beginning == beginnings { present = nil }
        } catch {
            if beginning == beginnings { present = nil }
            throw error
        }
    }

    /// Brings entries before others that name them, and after those that they name: a vault has its entries in such an order.
    private func add(_ missing: [[UInt8]], to queue: inout UploadQueue, _ error: ServerError) async throws {
        let new = Set(missing).subtracting(queue.added)
        let positions = try await vault.positions(of: new).filter { !queue.positions.contains($0) }
        guard !positions.isEmpty else { throw error }
        queue.added.formUnion(new)
        let late = try await late(queue.postponed, queue.positions + positions)
        queue.add(positions, late)
        queue.attempts = 0
    }

    /// Goes on without entries that the server does not take.
    private func skip(
        _ entries: [[UInt8]],
        _ batch: [LogRecord],
        _ queue: inout UploadQueue,
        _ error: ServerError
    ) async throws {
        let sent = Set(batch.map(\.entry.hash))
        var skipped = Set(entries.filter { sent.contains($0) })
        guard !skipped.isEmpty else { throw error }
        if error.code == .entryVoid { skipped.formUnion(try await voidBefore(skipped, batch)) }
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
    private func note(_ batch: [LogRecord], _ receipt: ServerReceipt, _ queue: inout UploadQueue) {
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
