internal import WardCBOR
internal import WardLog

/// Writes the bytes of a segment.
///
/// `Documentation/formats/sync.md`, "Folder".
struct SegmentBuilder {
    private var writer = CBORWriter()

    /// Begins with the header.
    init(vault: VaultID, device: DeviceID) {
        writer.writeArray(count: 5)
        writer.write(text: "ward")
        writer.write(unsigned: Segment.version)
        writer.write(text: "segment")
        writer.write(bytes: vault.bytes)
        writer.write(bytes: device.bytes)
    }

    /// The bytes so far.
    var bytes: [UInt8] { writer.bytes }

    /// Adds a record, if the segment then is not longer than a segment may be.
    ///
    /// - Returns: Whether the record was added.
    mutating func append(_ record: LogRecord) -> Bool {
        var one = CBORWriter()
        one.writeArray(count: 2)
        one.write(bytes: record.entry.encoded)
        if let blob = record.blob { one.write(bytes: blob) } else { one.writeNull() }
        guard writer.bytes.count + one.bytes.count <= SegmentLimits.segment else { return false }
        writer.write(encoded: one.bytes)
        return true
    }
}
