internal import WardLog

/// What a run brings to a server, and what it leaves out.
struct UploadQueue {
    /// The device that brings it.
    let device: DeviceID
    /// Where the entries are in the vault.
    var positions: [Int64]
    /// Entries that the server does not take, and why.
    var skipped: [[UInt8]: ServerError.Code] = [:]
    /// Where those are that do not count, because their device was removed.
    var void: [[UInt8]: Int64] = [:]
    /// Entries that were sent together with what they name of those.
    var rejoined: Set<[UInt8]> = []
    /// Those that are brought before the entry that names them, and where they are.
    private var ahead: [[UInt8]: Int64] = [:]
    /// Those that were put back for that, also operations on the circle.
    private(set) var wentAhead: Set<[UInt8]> = []
    /// Whether the server does not take them.
    private(set) var isAheadRefused = false
    /// Those of this device, by their numbers.
    private var own: [UInt64: ServerError.Code] = [:]
    /// Removals of this device that do not count, and what else would put it out: they come last.
    private(set) var postponed: Set<[UInt8]> = []
    /// Where they are, and what is built on them.
    private var late: Set<Int64> = []
    /// Entries that were brought because others name them.
    var added: Set<[UInt8]> = []
    /// How often that happened.
    var gaps = 0
    var attempts = 0
    /// Whether another queue has everything that the server lacks.
    var isOver = false
    /// Whether the numbers of new entries are not known.
    var mustRead = false
    /// Whether entries go together with the operation on the circle after them.
    var isTogether = false

    init(of device: DeviceID, positions: [Int64]) { (self.device, self.positions) = (device, positions) }

    /// The first entry of this device that the server does not take.
    var firstOwn: (sequence: UInt64, reason: ServerError.Code)? {
        own.min { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Why the server does not take an entry: for itself, or because it names one that the server does not take.
    func reason(_ record: LogRecord) -> ServerError.Code? {
        if let own = skipped[record.entry.hash] { return own }
        guard !skipped.isEmpty else { return nil }
        return record.names.lazy.compactMap { skipped[$0] }.first
    }

    /// Whether an entry rests on one that the server does not take, and was not looked at since: that is done when it is its turn.
    func isNewlyLeftOut(_ record: LogRecord) -> Bool { skipped[record.entry.hash] == nil && reason(record) != nil }

    /// Goes on without an entry.
    mutating func leave(_ record: LogRecord, _ reason: ServerError.Code, at index: Int = 0) {
        skipped[record.entry.hash] = reason
        let position = positions.remove(at: index)
        if reason == .entryVoid { void[record.entry.hash] = position }
        if record.entry.entry.device == device { own[record.sequence] = reason }
    }

    /// The records at the beginning that the server may take; those that it refused leave the queue.
    mutating func leavingOut(_ records: ArraySlice<LogRecord>) -> [LogRecord] {
        var kept: [LogRecord] = []
        for record in records {
            if let reason = skipped[record.entry.hash] {
                leave(record, reason, at: kept.count)
            } else {
                kept.append(record)
            }
        }
        return kept
    }

    /// Puts entries that were left out before the first ones, in the order of the vault.
    ///
    /// - Parameters:
    ///   - left: The entries that were left out, by their places.
    ///   - count: How many of the first ones go together with them.
    mutating func putBack(_ left: [Int64: LogRecord], before count: Int) {
        for record in left.values {
            skipped[record.entry.hash] = nil
            if record.entry.entry.device == device { own[record.sequence] = nil }
        }
        positions.replaceSubrange(..<count, with: (left.keys + positions[..<count]).sorted())
    }

    /// Brings entries that do not count before the first entry of the queue, which names them.
    ///
    /// - Parameters:
    ///   - void: The entries, and where they are.
    ///   - operations: Operations on the circle between them, which go as all others.
    ///   - record: The first entry of the queue.
    mutating func goAhead(_ void: [[UInt8]: Int64], _ operations: [[UInt8]: Int64], of record: LogRecord) {
        // It is tried once more together with what is left, when those are there.
        rejoined.remove(record.entry.hash)
        ahead.merge(void) { $1 }
        for hash in [void, operations].flatMap(\.keys) {
            skipped[hash] = nil
            wentAhead.insert(hash)
        }
        positions = [void, operations].flatMap(\.values).sorted() + positions
        // These need not be whole.
        isTogether = false
    }

    /// Goes on without the entries that were to come first.
    mutating func giveUpAhead(_ reason: ServerError.Code) {
        let left = Set(ahead.values).intersection(positions)
        for (hash, position) in ahead where left.contains(position) { (skipped[hash], void[hash]) = (reason, position) }
        positions.removeAll(where: left.contains)
        (ahead, isAheadRefused, attempts) = ([:], true, 0)
    }

    /// Whether an entry is one of those that come first.
    func isAhead(_ record: LogRecord) -> Bool { ahead[record.entry.hash] != nil }

    /// Brings entries last that would put this device out: what shows that they do not count knows nothing of them, or not of all.
    ///
    /// - Parameters:
    ///   - new: The entries.
    ///   - late: Where all such entries are, and what is built on them.
    mutating func postpone(_ new: Set<[UInt8]>, _ late: Set<Int64>) {
        postponed.formUnion(new)
        self.late = late
        sort()
    }

    /// Adds entries.
    ///
    /// - Parameters:
    ///   - new: Where they are.
    ///   - late: Where the entries are that come last, and what is built on them.
    mutating func add(_ new: [Int64], _ late: Set<Int64>) {
        positions = Array(Set(positions).union(new))
        self.late = late
        sort()
    }

    private mutating func sort() {
        positions.sort()
        guard !late.isEmpty else { return }
        positions = positions.filter { !late.contains($0) } + positions.filter(late.contains)
    }
}
