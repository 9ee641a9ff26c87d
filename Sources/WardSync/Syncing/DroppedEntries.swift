internal import WardLog

/// Entries that do not wait for others because there are too many, and those of them that are needed by now.
struct DroppedEntries {
    /// At most so many are remembered of one device, and of all.
    ///
    /// An entry counts once more for each entry that it names.
    private static let (limitOfDevice, limit) = (200_000, 800_000)

    private struct Dropped {
        let device: DeviceID
        let names: [[UInt8]]
    }

    private var entries: [[UInt8]: Dropped] = [:]
    private var (sizes, size): ([DeviceID: Int], Int) = ([:], 0)
    /// The hashes of those that are needed: they wait if they are read again.
    private(set) var wanted: Set<[UInt8]> = []
    /// Devices that wrote so much that nothing of them waits any more.
    private var left: Set<DeviceID> = []

    /// Whether entries were dropped that are not remembered, because nobody can say who signed them.
    var hasUnsigned = false
    /// The keys of devices that joined since then, as a device of the vault or a recovery key says.
    private(set) var admitted: [DeviceID: [UInt8]] = [:]
    private static let mostAdmitted = 1_000

    var isEmpty: Bool { entries.isEmpty && !hasUnsigned }

    /// Whether an entry is one of them.
    func contains(_ hash: [UInt8]) -> Bool { entries[hash] != nil }

    /// Whether an entry of another device names one of them.
    func areNamed(by record: LogRecord) -> Bool {
        let device = record.entry.entry.device
        return record.names.contains { entries[$0].map { $0.device != device } ?? false }
    }

    /// Remembers an entry.
    mutating func note(_ record: LogRecord) {
        let (device, names) = (record.entry.entry.device, record.names)
        let more = 1 + names.count
        guard !left.contains(device), entries[record.entry.hash] == nil, size + more <= Self.limit,
            sizes[device, default: 0] + more <= Self.limitOfDevice
        else { return }
        entries[record.entry.hash] = Dropped(device: device, names: names)
        sizes[device, default: 0] += more
        size += more
    }

    /// Notes the devices that join by some entries.
    ///
    /// - Parameter records: The entries, with checked signatures.
    /// - Returns: Whether something of such a device may have been dropped.
    mutating func admit(by records: [LogRecord]) -> Bool {
        let before = admitted.count
        for record in records {
            guard admitted.count < Self.mostAdmitted else { break }
            switch record.entry.entry.operation {
            case .circle(.admit(let device, _)), .circle(.joinRecovered(let device)):
                admitted[device.id] = device.publicKey
            default: continue
            }
        }
        return hasUnsigned && admitted.count > before
    }

    /// Notes that entries need what they name, and what that names.
    ///
    /// - Parameters:
    ///   - roots: The entries, with checked signatures.
    ///   - waiting: All entries that wait.
    /// - Returns: The dropped entries that are needed now and were not needed before.
    mutating func want(_ roots: [LogRecord], _ waiting: [LogRecord]) -> Set<[UInt8]> {
        let there = Dictionary(waiting.map { ($0.entry.hash, $0) }) { first, _ in first }
        var (seen, found): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        var names = roots.flatMap(\.names)
        while let hash = names.popLast() {
            guard seen.insert(hash).inserted else { continue }
            if let entry = entries.removeValue(forKey: hash) {
                sizes[entry.device, default: 0] -= 1 + entry.names.count
                size -= 1 + entry.names.count
                found.insert(hash)
                names += entry.names
            } else if let record = there[hash] {
                names += record.names
            }
        }
        wanted.formUnion(found)
        return found
    }

    /// Notes that nothing of a device waits any more, although it is needed.
    mutating func leave(_ device: DeviceID, _ records: [LogRecord]) {
        left.insert(device)
        wanted.subtract(records.lazy.filter { $0.entry.entry.device == device }.map(\.entry.hash))
    }
}
