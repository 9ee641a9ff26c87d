package import WardLog

extension FolderRemote {
    /// Reads what all devices have written, one segment after the other.
    ///
    /// Only one segment is in memory at a time. Entries come in no order that a reader can rely on, and can come twice.
    /// It is no trouble if no device has written into the folder yet.
    ///
    /// - Parameters:
    ///   - devices: The devices whose folders are read first, each once. All of them are read, and others up to the limit.
    ///   - known: Whether the caller has read the file in this state before. Then the file is not opened.
    ///   - body: Takes a segment. If it throws, reading stops.
    /// - Returns: What could not be read.
    /// - Throws: What `body` throws.
    package func read<E: Error>(
        first devices: [DeviceID] = [],
        skipping known: (SegmentIdentity) -> Bool,
        _ body: (Segment) throws(E) -> Void
    ) throws(E) -> [FolderTrouble] {
        var walk = FolderWalk(self)
        guard let opened = walk.vaultFolder() else { return walk.troubles }
        for name in walk.deviceNames(in: opened, first: devices.map(Self.name(of:))) {
            guard let device = walk.deviceFolder(name, in: opened) else { continue }
            for file in walk.segmentNames(in: device, name) {
                guard let segment = walk.segment(file, in: device, name, skipping: known) else { continue }
                try body(segment)
            }
        }
        return walk.troubles
    }

    /// Refuses a folder that is not there, or that cannot be opened.
    ///
    /// - Throws: ``FolderError``.
    package func check() throws(FolderError) {
        do {
            _ = try OpenFolder.at(folder)
        } catch {
            throw FolderError(error, folder.printable)
        }
    }

    /// The number up to which the names of a device's files have all numbers; 0 without the 1.
    ///
    /// No file is opened. So a caller sees quickly that a file was lost.
    ///
    /// - Parameter device: This device.
    /// - Returns: The number; `nil` if the names cannot be listed now.
    /// - Throws: ``FolderError`` if the folder itself cannot be opened.
    func lastNumber(named device: DeviceID) throws(FolderError) -> UInt64? {
        try check()
        var walk = FolderWalk(self)
        let name = Self.name(of: device)
        var last: UInt64 = 0
        if let opened = walk.vaultFolder(), (try? opened.status(of: name)) != nil,
            let own = walk.deviceFolder(name, in: opened)
        {
            for name in walk.segmentNames(in: own, name).compactMap({ SegmentFileName($0.bytes) }).sorted() {
                guard name.first <= last || name.first - 1 == last else { break }
                last = max(last, name.last)
            }
        }
        return walk.troubles.isEmpty ? last : nil
    }

    /// Finds out which entries of a device are in its folder.
    ///
    /// All segments of the device are read, so a caller keeps the result, and asks again when files may be lost.
    ///
    /// - Parameters:
    ///   - device: This device.
    ///   - isOwn: Whether the device wrote exactly this entry. Others are not counted: anybody who can write into the
    ///     folder can write entries in the name of the device.
    /// - Returns: The last number that needs no writing.
    /// - Throws: ``FolderError`` if the folder itself cannot be opened.
    package func written(
        by device: DeviceID,
        counting isOwn: (SignedEntry) -> Bool = { _ in true }
    ) throws(FolderError) -> WrittenEntries {
        try check()
        var walk = FolderWalk(self)
        var numbers = NumberRanges()
        let name = Self.name(of: device)
        if let opened = walk.vaultFolder(), (try? opened.status(of: name)) != nil,
            let own = walk.deviceFolder(name, in: opened)
        {
            for file in walk.segmentNames(in: own, name) {
                guard let segment = walk.segment(file, in: own, name, skipping: { _ in false }) else { continue }
                for record in segment.records where record.entry.entry.device == device && isOwn(record.entry) {
                    numbers.insert(record.sequence)
                }
            }
        }
        return WrittenEntries(last: numbers.lastWithoutGap, troubles: walk.troubles)
    }
}

/// Which entries of a device are in its folder.
package struct WrittenEntries: Hashable, Sendable {
    /// All entries from 1 to this number are there; 0 if the first one is not.
    ///
    /// If a segment is damaged or lost, this is the number before its first entry. So the device writes the lost
    /// entries again.
    package let last: UInt64
    /// What could not be read.
    package let troubles: [FolderTrouble]

    package init(last: UInt64, troubles: [FolderTrouble] = []) {
        self.last = last
        self.troubles = troubles
    }
}

extension FolderRemote {
    /// Everything that can be read in the folder, for a device that joins.
    ///
    /// A folder keeps also what devices have cleared, and what anybody wrote there. So if all of it is too much, the folder is read once
    /// more, and only the data that is needed is kept.
    ///
    /// - Parameters:
    ///   - devices: The devices whose folders are read in any case.
    ///   - limits: What fits into memory.
    ///   - needed: Finds those of all entries whose data the device needs. They come without data.
    /// - Returns: The records, each once, and what could not be read.
    /// - Throws: ``FolderError`` with `too_many_files` if that is too much too.
    package func allRecords(
        first devices: [DeviceID] = [],
        within limits: VaultLimits = VaultLimits(),
        needing needed: ([LogRecord]) -> Set<[UInt8]> = { Set($0.map(\.entry.hash)) }
    ) throws(FolderError) -> (records: [LogRecord], troubles: [FolderTrouble]) {
        var found = FirstReading()
        var hasData = true
        let troubles = try read(first: devices, skipping: { _ in false }) { (segment) throws(FolderError) in
            for record in segment.records { found.add(hasData ? record : LogRecord(entry: record.entry)) }
            if hasData, !found.fits(limits) {
                found.dropData()
                hasData = false
            }
            guard found.fits(limits) else { throw tooMuch(limits) }
        }
        guard !hasData else { return (found.records, troubles) }
        let wanted = needed(found.records)
        _ = try read(first: devices, skipping: { _ in false }) { (segment) throws(FolderError) in
            for record in segment.records where wanted.contains(record.entry.hash) { found.add(record) }
            guard found.fits(limits) else { throw tooMuch(limits) }
        }
        return (found.records, troubles)
    }

    private func tooMuch(_ limits: VaultLimits) -> FolderError {
        FolderError(
            .tooManyFiles,
            "\(folder.printable) has more than \(limits.entries) changes, or more than \(limits.bytes >> 20) MiB that the vault must keep: "
                + "too much for a new device. If you did not write that much, another device did, or somebody else. Look at the devices on "
                + "one that has the vault: ward devices. If none of them wrote it, use another folder."
        )
    }
}
