internal import WardCBOR
internal import WardLog

extension Segment {
    /// All arrays of a segment hold only numbers and strings, and its length limits their number.
    private static let rules = CBORRules(
        maximumDepth: 1,
        maximumItems: SegmentLimits.segment,
        maximumLength: SegmentLimits.blob
    )

    /// Reads a whole segment, or nothing of it.
    ///
    /// - Throws: ``SegmentFault``.
    static func decode(
        _ bytes: [UInt8],
        _ identity: SegmentIdentity,
        of vault: VaultID
    ) throws(SegmentFault) -> Segment {
        let input = bytes.span
        var reader = CBORReader(rules: rules)
        do {
            let device = try readHeader(&reader, input, of: vault)
            var records: [LogRecord] = []
            repeat {
                records.append(try readRecord(&reader, input, of: device))
            } while reader.offset < input.count
            return Segment(identity: identity, device: device, records: records)
        } catch let fault as SegmentFault {
            throw fault
        } catch let error as CBORError {
            throw error.code == .tooLong
                ? SegmentFault.tooLong(at: error.offset) : SegmentFault.malformed(at: error.offset)
        } catch {
            throw SegmentFault.malformed(at: reader.offset)
        }
    }

    /// ["ward", 1, "segment", vault ID, device].
    private static func readHeader(
        _ reader: inout CBORReader,
        _ input: Span<UInt8>,
        of vault: VaultID
    ) throws -> DeviceID {
        var array = try reader.readArray(input)
        guard array.count >= 3 else { throw SegmentFault.malformed(at: 0) }
        _ = try reader.nextElement(&array, input)
        let family = try reader.readText(input)
        _ = try reader.nextElement(&array, input)
        let version = try reader.readUnsigned(input)
        _ = try reader.nextElement(&array, input)
        let kind = try reader.readText(input)
        guard CBORReader.isText("ward", at: family, in: input), CBORReader.isText("segment", at: kind, in: input) else {
            throw SegmentFault.malformed(at: 0)
        }
        guard version == Self.version else { throw SegmentFault.unknownVersion(version) }
        guard array.count == 5 else { throw SegmentFault.malformed(at: 0) }
        _ = try reader.nextElement(&array, input)
        let named = CBORReader.copy(try reader.readBytes(input), of: input)
        guard named == vault.bytes else { throw SegmentFault.otherVault }
        _ = try reader.nextElement(&array, input)
        let start = reader.offset
        let bytes = CBORReader.copy(try reader.readBytes(input), of: input)
        _ = try reader.nextElement(&array, input)
        guard let device = DeviceID(bytes) else { throw SegmentFault.malformed(at: start) }
        return device
    }

    /// [entry, blob or null].
    private static func readRecord(
        _ reader: inout CBORReader,
        _ input: Span<UInt8>,
        of device: DeviceID
    ) throws -> LogRecord {
        let start = reader.offset
        var array = try reader.readArray(input)
        guard array.count == 2 else { throw SegmentFault.malformed(at: start) }
        _ = try reader.nextElement(&array, input)
        let encoded = CBORReader.copy(try reader.readBytes(input), of: input)
        guard encoded.count <= LogEntry.maximumLength else { throw SegmentFault.tooLong(at: start) }
        _ = try reader.nextElement(&array, input)
        var blob: [UInt8]?
        if try reader.peekType(input) == .null {
            try reader.readNull(input)
        } else {
            blob = CBORReader.copy(try reader.readBytes(input), of: input)
        }
        _ = try reader.nextElement(&array, input)
        guard let entry = try? SignedEntry(encoded: encoded) else { throw SegmentFault.malformed(at: start) }
        guard entry.entry.device == device else { throw SegmentFault.otherDevice(at: start) }
        let record = LogRecord(entry: entry, blob: blob)
        guard record.isBlobRight else { throw SegmentFault.wrongBlob(at: start) }
        return record
    }
}
