internal import WardLog

/// Entries of other devices that fit the log, before they are written.
struct Arrival {
    private(set) var graph: LogGraph
    /// In the order in which they are written.
    private(set) var records: [LogRecord] = []
    /// The hashes of entries that others name and that nobody delivered yet.
    private(set) var missing: Set<[UInt8]> = []
    private(set) var refused: [[UInt8]: String] = [:]
    /// Whether an entry was refused because its device is not in the circle.
    private(set) var hasStrangers = false
    /// Entries of devices that wrote more than a reader takes: they are taken once an entry of another device names them.
    private(set) var surplus: Set<[UInt8]> = []

    private var waiting: [[UInt8]: [LogRecord]] = [:]
    private var ready: [LogRecord]
    private var surplusRecords: [[UInt8]: LogRecord] = [:]

    /// Puts entries in an order in which each comes after what it names, and checks them.
    init(_ records: [LogRecord], after graph: LogGraph) {
        self.graph = graph
        let checked = SignatureCheck.right(records.map(\.entry), in: graph)
        ready = records.reversed().map(\.withoutUnnamedBlob)
        repeat {
            while let record = ready.popLast() { take(record, isChecked: checked.contains(record.entry.hash)) }
        } while takeNamed()
        surplus = Set(surplusRecords.values.flatMap(chain))
        missing = Set(waiting.keys).subtracting(records.map(\.entry.hash))
    }

    private mutating func take(_ record: LogRecord, isChecked: Bool, isNamed: Bool = false) {
        let hash = record.entry.hash
        do throws(LogError) {
            switch try graph.take(record.entry, checksSignature: !isChecked, isNamed: isNamed) {
            case .taken:
                records.append(record)
                ready += (waiting.removeValue(forKey: hash) ?? []).reversed()
            case .known: break
            case .waits(let missing):
                if let first = missing.first { waiting[first, default: []].append(record) }
            }
        } catch .surplus {
            surplusRecords[hash] = record
        } catch {
            if case .notAdmitted = error { hasStrangers = true }
            refused[hash] = error.description
        }
    }

    /// Takes those of the entries that are too many which an entry of another device needs.
    ///
    /// - Returns: Whether there was one.
    private mutating func takeNamed() -> Bool {
        let named = surplusRecords.filter { isNamed($0.value) }
        for (hash, record) in named {
            surplusRecords[hash] = nil
            take(record, isChecked: false, isNamed: true)
        }
        return !named.isEmpty
    }

    /// Whether an entry of another device names an entry or one of those that follow it.
    private func isNamed(_ record: LogRecord) -> Bool {
        let device = record.entry.entry.device
        var open = [record.entry.hash]
        while let hash = open.popLast() {
            for later in waiting[hash] ?? [] {
                if later.entry.entry.device == device {
                    open.append(later.entry.hash)
                } else if isSigned(later.entry) {
                    return true
                }
            }
        }
        return false
    }

    /// The hashes of an entry and of those of its device that wait for it.
    private func chain(from record: LogRecord) -> [[UInt8]] {
        let device = record.entry.entry.device
        var found = [record.entry.hash]
        var next = 0
        while next < found.count {
            found += (waiting[found[next]] ?? []).filter { $0.entry.entry.device == device }.map(\.entry.hash)
            next += 1
        }
        return found
    }

    /// Whether an entry has the signature of its device: anybody can write one without it.
    private func isSigned(_ signed: SignedEntry) -> Bool {
        var key = graph.authors[signed.entry.device] ?? graph.writers[signed.entry.device]
        // A device that was recovered brings its key with its first entry.
        if case .circle(.joinRecovered(let device)) = signed.entry.operation, device.id == signed.entry.device {
            key = key ?? device.publicKey
        }
        return key.map { signed.isSigned(by: $0, vault: graph.vault, graph.scheme) } ?? false
    }

    /// The rows of a file.
    ///
    /// - Parameters:
    ///   - position: The position of the last row before.
    ///   - keepsHeaders: Whether each header is kept with its entry, as in a circle. Otherwise a vault keeps only the current one.
    /// - Returns: The rows, in the order of the entries.
    func rows(after position: Int64, keepingHeaders keepsHeaders: Bool) -> [VaultDatabase.Row] {
        records.enumerated().map { index, record in
            VaultDatabase.Row(
                position: position + Int64(index) + 1,
                previous: record.parents.first.flatMap { graph.position(of: $0) } ?? 0,
                entry: record.entry.encoded,
                blob: record.isHeader && !keepsHeaders ? nil : record.blob
            )
        }
    }
}

// MARK: Removed devices

extension Arrival {
    /// The entries that no removal of a device knows, if the device was removed.
    func recordsAfterRemoval(of device: DeviceID) -> [[UInt8]] {
        guard let removals = graph.circleState?.removed[device] else { return [] }
        return records.map(\.entry.hash).filter { hash in
            !removals.contains { $0 == hash || graph.isPast(hash, of: $0) }
        }
    }

    /// Of some entries, the operations on the circle that arrived, and what such an operation knows.
    func knownToCircle(among hashes: Set<[UInt8]>) -> Set<[UInt8]> {
        let operations = records.filter(\.changesCircle).map(\.entry.hash)
        return hashes.filter { hash in operations.contains { $0 == hash || graph.isPast(hash, of: $0) } }
    }
}

// MARK: Data that is missing

extension Arrival {
    /// How long the data of a revision or an attached file must be superseded before it may be missing, in seconds.
    ///
    /// A device keeps it at least as long.
    private static let keptSeconds: Int64 = 30 * 86_400

    /// The entries that came without data which nobody can have cleared yet.
    ///
    /// What allowed clearing the data need not count any more: nobody else could take what names the entry if the data is nowhere.
    func withheld(now: Int64) -> [[UInt8]] {
        // What may be missing is found once for each item: a new device gets thousands of revisions of one.
        var revisions: [LogItemID: Set<[UInt8]>] = [:]
        var contents: [LogItemID: Set<[UInt8]>] = [:]
        return records.filter { record in
            guard record.blob == nil else { return false }
            switch record.entry.entry.operation {
            case .revision(let revision):
                let item = revision.item
                let known = revisions[item] ?? cleared(of: item, now)
                revisions[item] = known
                return !known.contains(record.entry.hash)
            case .content(let content):
                let item = content.item
                let known = revisions[item] ?? cleared(of: item, now)
                revisions[item] = known
                let named = contents[item] ?? clearedContents(of: item, with: known)
                contents[item] = named
                return !named.contains(content.blobHash)
            case .header, .circle: return record.blobHash != nil && graph.stands(record.entry.hash)
            case .genesis, .enrol, .purge, .ignorable, .unknown: return false
            }
        }.map(\.entry.hash)
    }

    /// Whether one of the entries that came without data brings the header in force.
    func lacksHeader(among withheld: [[UInt8]]) -> Bool {
        guard !withheld.isEmpty, let named = graph.header?.hash else { return false }
        let hashes = Set(withheld)
        return records.contains { $0.isHeader && $0.blobHash == named && hashes.contains($0.entry.hash) }
    }

    /// The revisions of an item whose data may have been cleared because something took their place long ago.
    private func cleared(of item: LogItemID, _ now: Int64) -> Set<[UInt8]> {
        Set(graph.perhapsCleared(of: item).filter { $0.value.seconds <= now - Self.keptSeconds }.keys)
    }

    /// The attached contents of an item that may have been cleared with revisions.
    ///
    /// Another revision that names one can have come later, from a device that was away.
    private func clearedContents(of item: LogItemID, with revisions: Set<[UInt8]>) -> Set<[UInt8]> {
        let found = graph.contents(of: item).filter { content in
            content.revisions.contains { revisions.contains($0.hash) }
        }
        return Set(found.map(\.blobHash))
    }
}

extension LogRecord {
    /// Whether the blob of the entry is a header.
    var isHeader: Bool {
        switch entry.entry.operation {
        case .header, .circle: true
        case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: false
        }
    }

    /// The revisions that the entry replaces or removes.
    fileprivate var parents: [[UInt8]] {
        switch entry.entry.operation {
        case .revision(let record): record.parents
        case .purge(_, let parents): parents
        case .genesis, .enrol, .header, .content, .circle, .ignorable, .unknown: []
        }
    }
}
