internal import WardLog

extension OwnFolder {
    /// A segment that can be merged with its neighbours.
    struct SmallSegment: Hashable {
        let name: SegmentFileName
        /// In bytes.
        let size: Int
    }

    /// Merges consecutive small segments into one, if there are too many small ones.
    ///
    /// The old segments are deleted after the new one is on the disk, so at every moment all entries are in the folder.
    /// A failure loses nothing: the next write tries again.
    ///
    /// - Returns: What went wrong.
    func mergeSmall(among names: [FileName]) -> [FolderTrouble] {
        var small = names.compactMap { smallSegment($0) }
        guard small.count > FolderLimits.smallSegments else { return [] }
        var troubles: [FolderTrouble] = []
        // A round without a result takes the files out that cannot be merged.
        for _ in 0..<FolderLimits.smallSegments {
            let run = Self.longestRun(small)
            guard run.count > 1 else { break }
            var segments: [Segment] = []
            for part in run {
                do {
                    segments.append(try load(part))
                } catch {
                    troubles.append(error)
                    small.removeAll { $0 == part }
                }
            }
            guard segments.count == run.count else { continue }
            do {
                try replace(run, by: segments)
            } catch {
                troubles.append(error)
            }
            break
        }
        return troubles
    }

    private func smallSegment(_ file: FileName) -> SmallSegment? {
        guard let name = SegmentFileName(file.bytes), let status = try? opened.status(of: file),
            status.kind == .file, status.size < FolderLimits.smallSize
        else { return nil }
        return SmallSegment(name: name, size: status.size)
    }

    /// The most segments whose numbers follow each other, or overlap, and that fit into one segment together.
    static func longestRun(_ segments: [SmallSegment]) -> [SmallSegment] {
        var longest: [SmallSegment] = []
        var run: [SmallSegment] = []
        var last: UInt64 = 0
        var size = 0
        for segment in segments.sorted(by: { $0.name < $1.name }) {
            let follows = segment.name.first <= last || segment.name.first - 1 == last
            if follows, !run.isEmpty, size + segment.size <= SegmentLimits.segment {
                run.append(segment)
                last = max(last, segment.name.last)
                size += segment.size
            } else {
                run = [segment]
                last = segment.name.last
                size = segment.size
            }
            if run.count > longest.count { longest = run }
        }
        return longest
    }

    /// Reads a segment of this device, and checks that its name tells its numbers.
    private func load(_ segment: SmallSegment) throws(FolderTrouble) -> Segment {
        let file = FileName(segment.name.text)
        let found = try remote.load(file, in: opened, name)
        guard found.device == device else {
            throw FolderTrouble(.merge, path(of: file), .segment(.otherDevice(at: 0)))
        }
        let numbers = found.records.map(\.sequence)
        guard numbers.first == segment.name.first, numbers.last == segment.name.last,
            zip(numbers, numbers.dropFirst()).allSatisfy({ $0 == $1 || ($0 < $1 && $1 - $0 == 1) })
        else { throw FolderTrouble(.merge, path(of: file), .misnamed) }
        return found
    }

    private func replace(_ run: [SmallSegment], by segments: [Segment]) throws(FolderTrouble) {
        guard let first = run.map(\.name.first).min(), let last = run.map(\.name.last).max() else { return }
        let merged = SegmentFileName(first: first, last: last)
        let records = Self.joined(segments)
        var builder = SegmentBuilder(vault: remote.vault, device: device)
        for record in records {
            guard builder.append(record) else { return }
        }
        do {
            try place(records, builder.bytes, as: merged)
            for part in run where part.name != merged { try delete(FileName(part.name.text)) }
            try synchronize()
        } catch {
            throw FolderTrouble(.merge, path(of: FileName(merged.text)), .write(error))
        }
    }

    /// The records of several segments by number, each once.
    ///
    /// If a blob is missing in one segment and is there in another, it stays. Nothing else is left out.
    static func joined(_ segments: [Segment]) -> [LogRecord] {
        var places: [[UInt8]: Int] = [:]
        var joined: [LogRecord] = []
        for record in segments.flatMap(\.records) {
            if let place = places[record.entry.hash] {
                if joined[place].blob == nil {
                    joined[place].blob = record.blob
                } else if record.blob != nil, record.blob != joined[place].blob {
                    joined.append(record)
                }
            } else {
                places[record.entry.hash] = joined.count
                joined.append(record)
            }
        }
        let ordered = joined.enumerated().sorted { ($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset) }
        return ordered.map(\.element)
    }
}
