package import WardLog

/// Bringing entries to a server, which takes those of all devices.
extension Vault {
    /// The hash of the entry that begins the circle; `nil` if there is none.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func circleRoot() throws(VaultError) -> [UInt8]? { try open().head.circle }

    /// The hash of the newest entry in the file; empty if there is none.
    ///
    /// Nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func newestEntry() throws(VaultError) -> [UInt8] { try open().chain.hash }

    /// Whether the vault has an entry.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func has(_ entry: [UInt8]) throws(VaultError) -> Bool {
        let open = try open()
        if open.chain.hash == entry { return true }
        return try open.graph().contains(entry)
    }

    /// Says how far this device has read the order of a server.
    ///
    /// The next entry of this device carries it, so that other devices can find out whether they were shown the same.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func note(_ position: RemotePosition) throws(VaultError) { try open().remotePosition = position }

    /// Whether the vault has two entries that one of some devices signed with one sequence.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func hasFork(of devices: Set<DeviceID>) throws(VaultError) -> Bool {
        let graph = try open().graph()
        return devices.contains { graph.isForked($0) }
    }

    /// Those of some entries that the vault does not have, by their hashes.
    ///
    /// - Throws: ``VaultError`` with `locked` or `damaged`.
    package func unknown(_ hashes: Set<[UInt8]>) throws(VaultError) -> Set<[UInt8]> {
        guard !hashes.isEmpty else { return [] }
        let graph = try open().graph()
        return hashes.filter { !graph.contains($0) }
    }

    /// The positions of the entries that a server lacks, each after those that it names.
    ///
    /// Of this device's own entries they are those that others may have, as in ``records(after:limit:)``.
    ///
    /// - Parameters:
    ///   - present: The hashes of the entries that are there.
    ///   - withoutData: The hashes of entries that are there without the data that they name. They are lacking if the data must still be
    ///     kept, and the vault has them.
    /// - Returns: The positions, in the order of the file.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func positions(
        lackingIn present: Set<[UInt8]>,
        withoutData: Set<[UInt8]> = []
    ) throws(VaultError) -> [Int64] {
        let open = try open()
        let own = Set(try ownPositions(after: 0))
        var positions: [Int64] = []
        var uncertain: [(position: Int64, record: LogRecord)] = []
        try open.database.forEachRow(after: 0, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            guard !present.contains(signed.hash) else { return }
            guard signed.entry.device != open.device.device || own.contains(row.position) else { return }
            positions.append(row.position)
            if withoutData.contains(signed.hash) { uncertain.append((row.position, LogRecord(entry: signed))) }
        }
        guard !uncertain.isEmpty else { return positions }
        let needed = Set(try open.graph().entriesThatNeedBlob(uncertain.map(\.record)).map(\.entry.hash))
        var complete: Set<Int64> = []
        for (position, record) in uncertain {
            if needed.contains(record.entry.hash), try open.database.hasBlob(at: position) { continue }
            complete.insert(position)
        }
        return positions.filter { !complete.contains($0) }
    }

    /// Those of some positions that have one of these entries, or what is built on them.
    ///
    /// - Parameters:
    ///   - hashes: The entries.
    ///   - positions: The positions.
    /// - Returns: The positions.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func positions(buildingOn hashes: Set<[UInt8]>, among positions: [Int64]) throws(VaultError) -> Set<Int64> {
        let open = try open()
        guard let first = positions.min() else { return [] }
        let asked = Set(positions)
        var (reached, found): (Set<[UInt8]>, Set<Int64>) = (hashes, [])
        try open.database.forEachRow(after: first - 1, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            guard reached.contains(signed.hash) || LogRecord(entry: signed).names.contains(where: reached.contains)
            else { return }
            reached.insert(signed.hash)
            if asked.contains(row.position) { found.insert(row.position) }
        }
        return found
    }

    /// Those of some entries that do not count.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func void(_ hashes: some Sequence<[UInt8]>) throws(VaultError) -> Set<[UInt8]> {
        let graph = try open().graph()
        return Set(hashes.filter { graph.contains($0) && !graph.isEffective($0) })
    }

    /// Where the entries are that the circle consists of, if one of them could take another one away.
    ///
    /// Otherwise everybody who has a part of them lets the same devices write.
    ///
    /// - Returns: The positions; none if nothing can be taken away.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func disputablePositions() throws(VaultError) -> Set<Int64> {
        let open = try open()
        // A vault that only one device writes never needs the whole log in memory.
        guard open.chain.circle != nil, open.chain.devices.count > 1 else { return [] }
        let graph = try open.graph()
        return graph.isDisputable ? Set(graph.circlePositions) : []
    }

    /// Whether somebody lets a device write who lacks the entries at some positions and some others, with what is built on them.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func mayWrite(
        _ device: DeviceID,
        lacking positions: Set<Int64>,
        without left: Set<[UInt8]>
    ) throws(VaultError) -> Bool { try open().graph().mayWrite(device, lacking: positions, without: left) }

    /// The positions of this device's entries after a number, as far as others may have them.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func positions(afterOwn sequence: UInt64) throws(VaultError) -> [Int64] {
        try ownPositions(after: sequence)
    }

    /// The number of this device's last entry that others may have; 0 if there is none.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func lastSequenceForOthers() throws(VaultError) -> UInt64 {
        guard let last = try ownPositions(after: 0).last else { return 0 }
        return try record(at: last).sequence
    }

    /// Whether there is a question in the circle, so that nobody writes until somebody answers it.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func hasQuestion() throws(VaultError) -> Bool { try open().chain.circle?.isFrozen ?? false }

    /// Whether a device is in the circle, so that others need what it writes; `true` if the vault has no circle.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func mayWrite(_ device: DeviceID) throws(VaultError) -> Bool {
        try open().chain.circle?.mayWrite(device) ?? true
    }

    /// The positions of some entries, by their hashes; those that the vault does not have are left out.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func positions(of hashes: Set<[UInt8]>) throws(VaultError) -> [Int64] {
        var positions: [Int64] = []
        try open().database.forEachRow(after: 0, withBlobs: false) { row in
            if hashes.contains(try SignedEntry(row).hash) { positions.append(row.position) }
        }
        return positions
    }

    /// The entries at some positions, with their blobs.
    ///
    /// - Parameters:
    ///   - positions: The positions, in the order of the result.
    ///   - count: The maximum number of entries.
    ///   - limit: The length in bytes after which no further entry is added. At least one entry is returned if there is one.
    /// - Returns: The entries.
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func records(
        at positions: some Sequence<Int64>,
        upTo count: Int,
        bytes limit: Int
    ) throws(VaultError) -> [LogRecord] {
        _ = try open()
        var found: [LogRecord] = []
        var size = 0
        for position in positions.prefix(count) {
            let record = try record(at: position)
            size += record.encoded.count
            guard found.isEmpty || size <= limit else { break }
            found.append(record)
        }
        return found
    }
}
