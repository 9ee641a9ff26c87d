internal import WardLog

/// Entries that do not wait for others because there are too many, and those of them that are needed by now.
struct DroppedEntries {
    /// At most so many are remembered of one device, and of all.
    private static let (limitOfDevice, limit) = (100_000, 500_000)

    private struct Dropped {
        let device: DeviceID
        let names: [[UInt8]]
    }

    private var entries: [[UInt8]: Dropped] = [:]
    private var counts: [DeviceID: Int] = [:]
    /// The hashes of those that are needed: they wait if they are read again.
    private(set) var wanted: Set<[UInt8]> = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether an entry is one of them.
    func contains(_ hash: [UInt8]) -> Bool { entries[hash] != nil }

    /// Whether an entry of another device names one of them.
    func areNamed(by record: LogRecord) -> Bool {
        let device = record.entry.entry.device
        return record.names.contains { entries[$0].map { $0.device != device } ?? false }
    }

    /// Remembers an entry.
    mutating func note(_ record: LogRecord) {
        let device = record.entry.entry.device
        guard entries.count < Self.limit, counts[device, default: 0] < Self.limitOfDevice,
            entries.updateValue(Dropped(device: device, names: record.names), forKey: record.entry.hash) == nil
        else { return }
        counts[device, default: 0] += 1
    }

    /// Notes that entries need what they name, and what that names.
    ///
    /// - Parameters:
    ///   - roots: The entries, with checked signatures.
    ///   - waiting: All entries that wait.
    /// - Returns: Whether an entry that was dropped is needed that was not before.
    mutating func want(_ roots: [LogRecord], _ waiting: [LogRecord]) -> Bool {
        let there = Dictionary(waiting.map { ($0.entry.hash, $0) }) { first, _ in first }
        var (seen, found): (Set<[UInt8]>, Bool) = ([], false)
        var names = roots.flatMap(\.names)
        while let hash = names.popLast() {
            guard seen.insert(hash).inserted else { continue }
            if let entry = entries.removeValue(forKey: hash) {
                counts[entry.device, default: 1] -= 1
                wanted.insert(hash)
                names += entry.names
                found = true
            } else if let record = there[hash] {
                names += record.names
            }
        }
        return found
    }
}
