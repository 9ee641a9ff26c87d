package import WardLog

/// A file with entries of one device that follow each other, as it was read.
///
/// Every entry is well-formed and names the device of the segment, and every blob is the one that its entry names.
/// Signatures are not checked here: anybody who can write into the folder can write a segment. `LogGraph` checks them.
///
/// `Documentation/formats/sync.md`, "Folder".
package struct Segment: Hashable, Sendable {
    /// The file, and its state when it was read.
    package let identity: SegmentIdentity
    package let device: DeviceID
    /// At least one record, in the order of the file.
    package let records: [LogRecord]

    static let version: UInt64 = 1
}

/// A file of a folder in one state.
///
/// A program that reads a folder again and again keeps the identities that it has read, and skips them. A file that was
/// changed has another identity.
package struct SegmentIdentity: Hashable, Sendable {
    /// The name of the device's folder, as the system has it: any bytes.
    package let folder: [UInt8]
    /// The name of the file, as the system has it: any bytes.
    package let file: [UInt8]
    /// The size in bytes.
    package let size: Int
    /// When the file was last changed, in nanoseconds since 1970; a time that does not fit wraps around.
    package let modified: Int64

    /// Which file it is, in whatever state.
    struct Name: Hashable, Sendable {
        let folder: [UInt8]
        let file: [UInt8]
    }

    var name: Name { Name(folder: folder, file: file) }

    package init(folder: [UInt8], file: [UInt8], size: Int, modified: Int64) {
        self.folder = folder
        self.file = file
        self.size = size
        self.modified = modified
    }
}
