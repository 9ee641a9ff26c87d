internal import WardLog
internal import WardVault

/// Reading what a server has.
extension ServerSync {
    /// The maximum number of untaken entries whose numbers are remembered.
    private static let mostUntaken = 10_000
    /// How many entries are asked for at once, from the first one that came without its data.
    private static let withheldAtOnce = 64
    /// The number of pages after which the state is written while many large ones are read.
    private static let keptEvery = 8
    /// How long a run reads.
    private static let longestPull = Duration.seconds(3_600)
    /// No operator can allow more entries of one vault.
    private static let mostNumbers: UInt64 = 10_000_000

    /// Reads everything after a number, and takes it.
    func pull(from number: UInt64, _ report: inout SyncReport) async throws {
        var after = number
        var hasBegunAnew = false
        var count = 0
        let began = now()
        while true {
            // What was read stays. A server that always has one more page must not keep this device from bringing anything, and from
            // telling the person.
            guard began.duration(to: now()) < Self.longestPull else { throw ServerError(.tooSlow) }
            guard after <= Self.mostNumbers else { throw ServerError(.wrongAnswer) }
            let (page, isFromServer): (ServerPage, Bool)
            do {
                (page, isFromServer) = try await self.page(after: after)
                if let order, page.order != order.position.order { throw ServerError(.numberAhead) }
                if order == nil { try await begin(page.order) }
                try await follow(page)
            } catch let error as ServerError where error.code == .numberAhead && !hasBegunAnew {
                hasBegunAnew = true
                try readAgain()
                after = 0
                continue
            }
            guard let witnesses = try await take(page, &report) else { return }
            try await compare(witnesses)
            after = page.entries.last?.number ?? after
            progress(SyncProgress(.taking, page, from: number))
            count += 1
            // After a crash, what was taken since is read again.
            let isLast = after >= page.head
            let isSlow = pace.shares > 1 || parts > 1
            if isLast || isSlow || count.isMultiple(of: Self.keptEvery) { try await keep() }
            guard !isLast || !isFromServer else { break }
        }
        if earlier != nil { earlier = nil }
    }

    /// The entries after a number, from what was read before the vault was here or what was heard, or else from the server.
    private func page(after number: UInt64) async throws -> (page: ServerPage, isFromServer: Bool) {
        if let page = heard {
            heard = nil
            let isNext = order?.position.number == number && order?.position.order == page.order
            if isNext, page.entries.first?.number == number + 1 { return (page, true) }
        }
        guard let first = pages.popFirst(), order == nil || order?.position.number == number,
            first.entries.first.map({ $0.number == number + 1 }) ?? true
        else {
            pages = []
            let began = now()
            let limit = pace.limit(parts: parts).entries
            let page = try await connection.entriesInTurn(after: number, limit: limit, sleep: sleep)
            notePass(since: began, isFull: page.entries.last.map { $0.number < page.head } ?? false)
            return (page, true)
        }
        return (first, false)
    }

    /// Reads again what came without its data: another device may have brought the data since.
    ///
    /// A server that keeps the data back costs two small requests in each run.
    func pullWithheld(_ report: inout SyncReport) async throws {
        do {
            // The others that are untaken wait for the first one.
            while let first = firstUntaken {
                guard try await pullWithheld(from: first, &report).hasChanged else { break }
            }
            while let first = nextUnfilled {
                let page = try await pullWithheld(from: first, &report)
                lastUnfilled = page.last
                guard page.hasChanged else { return }
            }
        } catch let error as ServerError where error.code == .numberAhead {
            try readAgain()
        }
    }

    /// Reads entries again from a number.
    ///
    /// - Returns: The number of the last entry that was read, and whether less is missing now.
    private func pullWithheld(
        from first: UInt64,
        _ report: inout SyncReport
    ) async throws -> (last: UInt64, hasChanged: Bool) {
        let before = untaken.count + unfilled.count
        let page = try await connection.entries(after: first - 1, limit: Self.withheldAtOnce)
        guard let order, page.order == order.position.order else { throw ServerError(.numberAhead) }
        try await follow(page)
        let last = page.entries.last?.number ?? first
        guard let positions = try await take(page, &report) else { return (last, false) }
        try await compare(positions)
        if untaken.isEmpty { state.resume = order.position.number }
        return (last, untaken.count + unfilled.count < before)
    }

    /// Begins to read an order.
    private func begin(_ name: [UInt8]) async throws {
        order = ServerOrder(beginning: name, in: vault)
        if earlier?.position.order == name {
            // Positions are comparable as far as the server has the same entries as before, also after it lost others earlier.
            (mostComparable, state.comparable) = (state.comparable ?? .max, 0)
        } else {
            earlier = nil
            state.comparable = unfinished?.order == name ? unfinished?.comparable : nil
            state.ahead = []
        }
    }

    /// Checks that the server still has what it had, and adds what is new.
    ///
    /// - Throws: ``ServerError`` with `number_ahead` if it has something else.
    private func follow(_ page: ServerPage) async throws {
        guard let order else { return }
        // A server that lost entries can have too few to show another one in a place that was read.
        guard page.head >= order.position.number else { throw ServerError(.numberAhead) }
        let root = try await vault.circleRoot()
        for entry in page.entries {
            let hash = entry.record.entry.hash
            if entry.number <= order.position.number {
                guard try await order.has(hash, at: entry.number) ?? true else { throw ServerError(.numberAhead) }
            } else {
                order.append(hash)
                if let earlier, state.comparable == entry.number - 1, entry.number <= mostComparable,
                    try await earlier.hash(at: entry.number) == order.position.hash
                {
                    state.comparable = entry.number
                }
            }
            if hash == root { state.hasRoot = true }
            guard present != nil else { continue }
            if entry.record.blob == nil, entry.record.blobHash != nil {
                withoutData.insert(hash)
            } else {
                present?.insert(hash)
            }
        }
    }

    /// The number of the next entry that the vault has without its data, after those that were asked for last.
    ///
    /// What nobody has must not keep the others from being asked for.
    private var nextUnfilled: UInt64? {
        unfilled.values.lazy.filter { $0 > self.lastUnfilled }.min() ?? unfilled.values.min()
    }

    /// The number of the first entry that the server showed and the vault does not have.
    private var firstUntaken: UInt64? { untaken.values.lazy.map(\.number).min() }

    /// - Returns: What other devices were shown when they wrote the entries that the vault has by now, also those of earlier pages that
    ///   waited for others; `nil` if the sync cannot go on.
    private func take(_ page: ServerPage, _ report: inout SyncReport) async throws -> [OrderWitness]? {
        let outcome = try await intake.take(page.entries.map(\.record), &report)
        if outcome == .hasOwnEntries { return nil }
        let device = try await vault.thisDevice()
        for entry in page.entries { untaken[entry.record.entry.hash] = Untaken(entry, readBy: device) }
        try await noteUnfilled(page)
        let unknown = try await vault.unknown(Set(untaken.keys))
        // The vault has checked who signed the entries that it has.
        let arrived = untaken.filter { !unknown.contains($0.key) }.values.sorted { $0.number < $1.number }
        untaken = untaken.filter { unknown.contains($0.key) }
        if untaken.count > Self.mostUntaken {
            // Only the first one matters for where a new session reads from.
            let first = untaken.min { $0.value.number < $1.value.number }
            untaken = first.map { [$0.key: $0.value] } ?? [:]
        }
        let read = page.entries.last?.number ?? order?.position.number ?? 0
        state.resume = firstUntaken.map { $0 - 1 } ?? max(read, state.resume)
        if outcome == .dropped { throw ServerError(.hides) }
        if outcome == .needsDropped { throw NeedsDropped() }
        return arrived.flatMap(\.witnesses)
    }

    /// Notes where the server shows entries without data that the vault needs of them.
    private func noteUnfilled(_ page: ServerPage) async throws {
        let lacking = try await vault.lacking(among: Set(page.entries.map(\.record.entry.hash) + unfilled.keys))
        unfilled = unfilled.filter { lacking.contains($0.key) }
        for entry in page.entries where lacking.contains(entry.record.entry.hash) {
            guard unfilled.count < Self.mostUntaken else { return }
            unfilled[entry.record.entry.hash] = entry.number
        }
    }

    /// Compares what other devices were shown with what this device was shown.
    private func compare(_ witnesses: [OrderWitness]) async throws {
        guard let order else { return }
        let all = state.ahead + witnesses.filter { $0.position.order == order.position.order }
        state.ahead = []
        for witness in all where witness.position.number <= state.comparable ?? .max {
            switch try await order.compare(witness.position) {
            case .agrees, .isOfAnotherOrder: break
            case .isAhead: state.remember(witness)
            case .contradicts: state.twoOrders = state.twoOrders ?? witness
            }
        }
    }

    /// Writes what this device remembers.
    func keep() async throws {
        guard !isOnce else { return }
        try await order?.keep()
        state.position = order?.position
        try await state.keep(in: vault)
    }
}

/// An entry that a server showed and the vault does not have.
struct Untaken {
    let number: UInt64
    /// What the device that wrote the entry was shown, unless it is this device.
    let witnesses: [OrderWitness]

    init(_ entry: ServerPage.Numbered, readBy device: DeviceID) {
        let signed = entry.record.entry.entry
        number = entry.number
        witnesses =
            signed.device == device
            ? [] : signed.positions.map { OrderWitness($0, device: signed.device, sequence: signed.sequence) }
    }
}

extension SyncProgress {
    /// How far a server's order is read after a page.
    init(_ step: Step, _ page: ServerPage, from start: UInt64) {
        let last = page.entries.last?.number ?? page.head
        self.init(
            step,
            done: Int(clamping: last - min(start, last)),
            of: Int(clamping: max(page.head, last) - min(start, last))
        )
    }
}
