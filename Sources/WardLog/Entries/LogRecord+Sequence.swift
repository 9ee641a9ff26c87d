internal import WardCBOR

/// Records as a server and its clients exchange them: a CBOR sequence (RFC 8742).
extension LogRecord {
    /// Why bytes are no records.
    package enum SequenceFault: Error, Hashable, Sendable {
        /// The bytes at this offset are no record.
        case malformed(at: Int)
        /// The entry or the blob at this offset is too long.
        case tooLong(at: Int)
        /// There are more records than allowed.
        case tooMany
    }

    /// The maximum length of a blob: an item of 1 MiB and what sealing adds.
    package static let maximumBlob = 1024 * 1024 + 128 * 1024

    /// Reads [entry, blob or null], again and again until the bytes end.
    ///
    /// Only the form is checked: neither signatures nor blobs.
    package static func decodeSequence(
        _ bytes: [UInt8],
        atMost limit: Int
    ) throws(SequenceFault) -> [LogRecord] {
        // Each record has three items: the array, the entry and the blob.
        let rules = CBORRules(
            maximumDepth: 1,
            maximumItems: 3 * (min(limit, 1_000_000) + 1),
            maximumLength: maximumBlob
        )
        let input = bytes.span
        var reader = CBORReader(rules: rules)
        var records: [LogRecord] = []
        while reader.offset < input.count {
            guard records.count < limit else { throw .tooMany }
            let start = reader.offset
            do {
                records.append(try read(&reader, input))
            } catch let error as CBORError {
                throw error.code == .tooLong ? .tooLong(at: error.offset) : .malformed(at: error.offset)
            } catch {
                throw .malformed(at: start)
            }
        }
        return records
    }

    private static func read(_ reader: inout CBORReader, _ input: Span<UInt8>) throws -> LogRecord {
        let start = reader.offset
        var array = try reader.readArray(input)
        guard array.count == 2 else { throw SequenceFault.malformed(at: start) }
        _ = try reader.nextElement(&array, input)
        let range = try reader.readBytes(input)
        guard range.count <= LogEntry.maximumLength else { throw SequenceFault.malformed(at: start) }
        let entry = try SignedEntry(encoded: CBORReader.copy(range, of: input))
        _ = try reader.nextElement(&array, input)
        var blob: [UInt8]?
        if try reader.peekType(input) == .null {
            try reader.readNull(input)
        } else {
            blob = CBORReader.copy(try reader.readBytes(input), of: input)
        }
        _ = try reader.nextElement(&array, input)
        return LogRecord(entry: entry, blob: blob)
    }

    /// The bytes of [entry, blob or null].
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.write(bytes: entry.encoded)
        if let blob { writer.write(bytes: blob) } else { writer.writeNull() }
        return writer.bytes
    }
}
