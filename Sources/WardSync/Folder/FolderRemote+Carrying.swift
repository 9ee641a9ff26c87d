package import WardLog
internal import WardText

extension FolderRemote {
    /// Writes entries of other devices that the folder lacks; they are on the disk when this returns.
    ///
    /// A removed device writes nothing any more, and a new folder has nothing of it. The entries go into this device's own folder, in
    /// files that name the device that wrote them: `from-<device>-<hash>-<first>-<last>.seg`, with the first 8 bytes of the hash of the
    /// first entry. A device that wrote beside itself has several entries with the same number.
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
            try own.place(taken, builder.bytes, as: FileName(carrying: first, upTo: last.sequence))
            rest = rest.dropFirst(taken.count)
        }
    }
}

extension FileName {
    private static let carried = "from-"

    /// The name of a file with entries that another device wrote.
    fileprivate init(carrying first: LogRecord, upTo last: UInt64) {
        let author = Hex.encode(first.entry.entry.device.bytes)
        let mark = Hex.encode(first.entry.hash.prefix(8))
        let numbers = SegmentFileName(first: first.sequence, last: last)
        self.init("\(Self.carried)\(author)-\(mark)-\(numbers.text)")
    }

    /// Whether a file of this name may have entries that another device wrote.
    var isCarried: Bool { bytes.starts(with: Self.carried.utf8) && isSegment }
}
