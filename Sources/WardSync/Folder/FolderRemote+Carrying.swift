package import WardLog
internal import WardText

extension FolderRemote {
    /// Writes entries of other devices that the folder lacks; they are on the disk when this returns.
    ///
    /// A removed device writes nothing any more, and a new folder has nothing of it. The entries go into this device's own folder, in
    /// files that name the device that wrote them: `from-<device>-<first>-<last>.seg`.
    ///
    /// - Parameters:
    ///   - records: The entries, in any order.
    ///   - device: This device.
    /// - Throws: ``FolderError``.
    package func carry(_ records: [LogRecord], by device: DeviceID) throws(FolderError) {
        guard !records.isEmpty else { return }
        let own = try OwnFolder(of: device, in: self)
        let sorted = records.sorted { one, other in
            let (mine, theirs) = (one.entry.entry, other.entry.entry)
            if mine.device != theirs.device { return mine.device < theirs.device }
            if mine.sequence != theirs.sequence { return mine.sequence < theirs.sequence }
            return one.entry.hash.lexicographicallyPrecedes(other.entry.hash)
        }
        var rest = sorted[...]
        while let first = rest.first {
            let author = first.entry.entry.device
            var builder = SegmentBuilder(vault: vault, device: author)
            var taken: [LogRecord] = []
            for record in rest {
                guard record.entry.entry.device == author, builder.append(record) else { break }
                taken.append(record)
            }
            guard let last = taken.last else {
                throw FolderError(.invalidRecords, "An entry does not fit into a segment.")
            }
            let numbers = SegmentFileName(first: first.sequence, last: last.sequence)
            let file = FileName("from-\(Hex.encode(author.bytes))-\(numbers.text)")
            try own.place(taken, builder.bytes, as: file)
            rest = rest.dropFirst(taken.count)
        }
    }
}
