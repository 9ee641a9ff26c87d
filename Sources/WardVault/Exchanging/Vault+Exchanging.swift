internal import Crypto
package import WardLog
internal import WardWebAuthn

/// Exchanging entries with other devices: what a vault has for them, and what it takes from them.
extension Vault {
    /// Takes entries that other devices wrote.
    ///
    /// They may come in any order and several times. What is taken is on the disk when the call returns. If another device changed
    /// the passphrase, the vault has that device's header afterwards, and stays open.
    ///
    /// - Parameter records: The entries; not more than fit in memory.
    /// - Returns: What was taken, and why something was not.
    /// - Throws: ``VaultError`` with `locked`, `diskFull`, `unavailable`, `readOnly` or `damaged`. Nothing is taken
    ///   then, unless what was taken cannot be read.
    package func take(_ records: [LogRecord]) throws(VaultError) -> ExchangeReport {
        let open = try open()
        // What is taken may bring another one.
        try promoteSecretKey()
        let report = try open.take(records, current: (header, encodedHeader)) { install($0, $1) }
        if report.hasNewHeader { try promoteSecretKey() }
        return report
    }

    /// The entries that this device wrote, in order, as far as others may have them.
    ///
    /// While there is a question in the circle, while a removed device has the newest key, and after this device was removed, others
    /// get nothing that comes after this device's last operation on the circle.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last entry that is not wanted; 0 for all.
    ///   - limit: The number of bytes after which no further entry is added. At least one entry is returned if there is one.
    /// - Returns: The entries.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func records(
        after sequence: UInt64,
        limit: Int = 8 * 1_048_576
    ) throws(VaultError) -> [LogRecord] {
        let positions = try ownPositions(after: sequence)
        var found: [LogRecord] = []
        var size = 0
        for position in positions {
            let record = try record(at: position)
            size += record.size
            guard found.isEmpty || size <= limit else { break }
            found.append(record)
        }
        return found
    }

    /// The positions of the entries that this device wrote, as far as others may have them.
    func ownPositions(after sequence: UInt64) throws(VaultError) -> [Int64] {
        let open = try open()
        let isHeld = open.chain.circle.map { circle in
            circle.isFrozen || !circle.isClean || !circle.mayWrite(open.device.device)
        }
        var positions: [Int64] = []
        var isNeeded = 0
        // The entry with a number is never before the position with this number. Where other devices write too, it can be far behind.
        let first = open.wholeLog.map { $0.firstPosition(of: open.device.device, after: sequence) ?? .max }
        guard first != .max else { return [] }
        let start = first.map { $0 - 1 } ?? Int64(clamping: sequence)
        try open.database.forEachRow(after: start, withBlobs: false) { row in
            let entry = try SignedEntry(row).entry
            guard entry.device == open.device.device, entry.sequence > sequence else { return }
            positions.append(row.position)
            if entry.operation.isOnCircle { isNeeded = positions.count }
        }
        if isHeld ?? false { positions.removeLast(positions.count - isNeeded) }
        return positions
    }

    /// An entry with its blob, as others get it.
    func record(at position: Int64) throws(VaultError) -> LogRecord {
        guard var record = try database.record(at: position) else {
            throw VaultError(.damaged, "the vault's file does not contain entry \(position)")
        }
        // Earlier headers are not kept.
        if record.blobHash == Array(SHA256.hash(data: encodedHeader)) { record.blob = encodedHeader }
        // The file may have what an earlier version of Ward kept.
        return record.withoutUnnamedBlob
    }

    /// The number of this device's last entry; 0 if it has written none.
    ///
    /// Nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func lastOwnSequence() throws(VaultError) -> UInt64 {
        let open = try open()
        return open.chain.leaf(of: open.device.device)?.sequence ?? 0
    }

    /// Where the entries of other devices are that a place lacks and that their devices will not bring: those of devices that are not in
    /// the circle any more, and of others after a day.
    ///
    /// - Parameter isLacking: Whether an entry with this hash is not there.
    /// - Returns: The positions, by device and sequence, and the hashes of the entries that their devices may still bring; none if the
    ///   vault has no circle.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func positionsToCarry(
        where isLacking: ([UInt8]) -> Bool
    ) throws(VaultError) -> (positions: [Int64], later: Set<[UInt8]>) {
        let open = try open()
        guard let circle = open.chain.circle, circle.mayWrite(open.device.device) else { return ([], []) }
        let yesterday = environment.effects.now() - 86_400
        var found: [(device: DeviceID, sequence: UInt64, position: Int64)] = []
        var later: Set<[UInt8]> = []
        try open.database.forEachRow(after: 0, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            let entry = signed.entry
            guard entry.device != open.device.device, isLacking(signed.hash) else { return }
            if !circle.members.contains(entry.device) || entry.time.seconds < yesterday {
                found.append((entry.device, entry.sequence, row.position))
            } else {
                later.insert(signed.hash)
            }
        }
        found.sort { ($0.device, $0.sequence, $0.position) < ($1.device, $1.sequence, $1.position) }
        return (found.map { $0.position }, later)
    }

    /// The devices that may write; nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func writers() throws(VaultError) -> Set<DeviceID> {
        guard let circle = try open().chain.circle else { return [] }
        return circle.members.union(circle.disputed)
    }

    /// Those of some entries that a device of the vault signed, or one that such a device or a recovery key in force lets join.
    ///
    /// - Parameters:
    ///   - records: The entries.
    ///   - admitted: Further devices that count as devices of the vault, with their keys.
    /// - Returns: Their hashes.
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func signed(
        _ records: [LogRecord],
        admitted: [DeviceID: [UInt8]]
    ) throws(VaultError) -> Set<[UInt8]> {
        records.isEmpty ? [] : SignatureCheck.signed(records.map(\.entry), in: try open().graph(), admitted)
    }

    /// The devices whose keys the vault knows.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func knownDevices() throws(VaultError) -> Set<DeviceID> {
        let graph = try open().graph()
        return Set(graph.authors.keys).union(graph.writers.keys)
    }

    /// The devices that removed this device, as far as their removals count; none if it is not removed.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func removers() throws(VaultError) -> Set<DeviceID> {
        let open = try open()
        return try open.graph().removers(of: open.device.device)
    }

    /// The hashes of the entries that this device wrote.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func ownEntries() throws(VaultError) -> Set<[UInt8]> {
        let open = try open()
        var found: Set<[UInt8]> = []
        try open.database.forEachRow(after: 0, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            if signed.entry.device == open.device.device { found.insert(signed.hash) }
        }
        return found
    }

    /// Those of some entries of this device that the vault has, with the data that it needs.
    ///
    /// - Parameter hashes: The hashes of entries of this device.
    /// - Returns: The hashes of those that the vault has.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func known(own hashes: Set<[UInt8]>) throws(VaultError) -> Set<[UInt8]> {
        let open = try open()
        if let graph = open.wholeLog {
            let lacking = try open.lackingEntries(graph)
            return hashes.filter { graph.contains($0) && !lacking.contains($0) }
        }
        // A vault that only one device writes never needs the whole log in memory.
        var found: Set<[UInt8]> = []
        try open.database.forEachRow(after: 0, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            if hashes.contains(signed.hash) { found.insert(signed.hash) }
        }
        return found
    }

    /// Those of some entries that the vault does not have, each once, with the data that one of its copies has.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func unknown(_ records: [LogRecord]) throws(VaultError) -> [LogRecord] {
        let graph = try open().graph()
        var found: [LogRecord] = []
        var places: [[UInt8]: Int] = [:]
        for record in records where !graph.contains(record.entry.hash) {
            if let place = places[record.entry.hash] {
                if found[place].blob == nil || !found[place].isBlobRight { found[place].blob = record.blob }
            } else {
                places[record.entry.hash] = found.count
                found.append(record)
            }
        }
        return found
    }

    /// This device in the vault's log.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func thisDevice() throws(VaultError) -> DeviceID { try open().device.device }
}

extension LogOperation {
    /// Whether the operation may change a circle of devices.
    fileprivate var isOnCircle: Bool {
        switch self {
        case .header, .circle: true
        case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: false
        }
    }
}
