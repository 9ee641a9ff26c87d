/// The limits of a segment, in bytes.
///
/// An entry has at most `LogEntry.maximumLength`, which is 65,536. `Documentation/formats/sync.md`, "Folder".
package enum SegmentLimits {
    /// The longest blob: 1 MiB, and an eighth of it for padding.
    package static let blob = (1 << 20) + (128 << 10)
    /// The longest segment, with its header: 8 MiB.
    package static let segment = 8 << 20
}
