package import WardLog

extension FolderRemote {
    /// Writes entries of this device that follow each other; they are on the disk when this returns.
    ///
    /// The entries go into new segments. If the device has many small segments, some of them are merged first. Only one
    /// process may write for a device at a time. After an error a part of the entries may be there. The caller then
    /// writes the same entries again.
    ///
    /// - Parameters:
    ///   - records: Entries of this device in order, each with the number after the one before.
    ///   - device: This device.
    /// - Returns: What went wrong while small segments were merged and old temporary files were deleted. The records
    ///   are written all the same.
    /// - Throws: ``FolderError``, with `diskFull` if the drive or the quota is full.
    @discardableResult
    package func write(_ records: [LogRecord], of device: DeviceID) throws(FolderError) -> [FolderTrouble] {
        try Self.check(records, of: device)
        guard !records.isEmpty else { return [] }
        let own = try OwnFolder(of: device, in: self)
        let listed = try own.names()
        let troubles = own.removeAbandoned(among: listed) + own.mergeSmall(among: listed)
        var count = try own.names().filter(\.isSegment).count
        var rest = records[...]
        while !rest.isEmpty {
            guard count < FolderLimits.segments else {
                throw FolderError(
                    .tooManySegments,
                    "\(own.path) has \(count) segments, and other devices read no more. "
                        + "Remove files that Ward did not write, or choose another folder."
                )
            }
            let taken = try Self.writeSegment(rest, in: own)
            rest = rest.dropFirst(taken)
            count += 1
        }
        return troubles
    }

    /// Writes as many records as fit into one segment.
    ///
    /// - Returns: Their number, at least 1.
    private static func writeSegment(
        _ records: ArraySlice<LogRecord>,
        in own: OwnFolder
    ) throws(FolderError) -> Int {
        var builder = SegmentBuilder(vault: own.remote.vault, device: own.device)
        var taken: [LogRecord] = []
        for record in records {
            guard builder.append(record) else { break }
            taken.append(record)
        }
        guard let first = taken.first, let last = taken.last else {
            throw FolderError(.invalidRecords, "An entry does not fit into a segment.")
        }
        try own.place(taken, builder.bytes, as: SegmentFileName(first: first.sequence, last: last.sequence))
        return taken.count
    }

    /// Checks what readers check, so that no device writes what others refuse.
    private static func check(_ records: [LogRecord], of device: DeviceID) throws(FolderError) {
        var next: UInt64?
        for record in records {
            let number = record.sequence
            guard record.entry.entry.device == device else {
                throw FolderError(
                    .invalidRecords,
                    "Entry \(number) is from another device. Write only entries of this one."
                )
            }
            guard next == nil || next == number, number < .max else {
                throw FolderError(
                    .invalidRecords,
                    "Entry \(number) does not follow the one before. Write all entries in order."
                )
            }
            guard record.entry.encoded.count <= LogEntry.maximumLength,
                record.blob?.count ?? 0 <= SegmentLimits.blob
            else { throw FolderError(.invalidRecords, "Entry \(number) or its content is too long for a segment.") }
            guard record.isBlobRight else {
                throw FolderError(
                    .invalidRecords,
                    "The content of entry \(number) is damaged in the vault. Check the vault: ward log verify"
                )
            }
            next = number + 1
        }
    }
}
