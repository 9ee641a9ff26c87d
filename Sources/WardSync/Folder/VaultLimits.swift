internal import WardLog

/// What a device reads at most that does not have the vault yet: all of it must fit into memory at once.
package struct VaultLimits: Sendable {
    /// The number of entries, each counted once: more than a sync server takes.
    package var entries = 2_000_000
    /// The length of all entries with the data that the device needs.
    package var bytes = 1 << 30

    package init() {}
}

/// Entries that a device reads which does not have the vault yet.
///
/// Devices carry what others wrote, and programs for syncing keep copies of files. So the same entry can come many times.
struct FirstReading {
    /// Each once, in the order in which they came.
    private(set) var records: [LogRecord] = []
    private(set) var bytes = 0
    private var places: [[UInt8]: Int] = [:]

    /// Adds an entry, or the data of one that came without.
    mutating func add(_ record: LogRecord) {
        guard let place = places[record.entry.hash] else {
            places[record.entry.hash] = records.count
            records.append(record)
            bytes += record.size
            return
        }
        guard records[place].blob == nil, let blob = record.blob else { return }
        records[place].blob = blob
        bytes += blob.count
    }

    /// Leaves the entries without their data.
    mutating func dropData() {
        for place in records.indices { records[place].blob = nil }
        bytes = records.reduce(0) { $0 + $1.size }
    }

    func fits(_ limits: VaultLimits) -> Bool { records.count <= limits.entries && bytes <= limits.bytes }
}
