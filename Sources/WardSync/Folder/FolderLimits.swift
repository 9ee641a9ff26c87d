/// The limits of a folder.
///
/// `Documentation/formats/sync.md`, "Folder".
package enum FolderLimits {
    /// How many segments of one device are read, and how many a device writes.
    package static let segments = 4_096
    /// How many folders of devices are read, if the reader knows of no more devices.
    package static let devices = 64
    /// How many requests of new devices are offered.
    package static let requests = 64
    /// How many of their files are read; old ones are among them.
    package static let requestFiles = 1_024
    /// How many names are looked at in one pass, in all folders together.
    package static let files = 65_536
    /// A segment with fewer bytes is small: 1 MiB.
    package static let smallSize = 1 << 20
    /// A device merges its small segments when it has more than this number.
    package static let smallSegments = 16
    /// The age at which a file of an interrupted write is deleted, in seconds.
    package static let abandonedAfter = 3_600
}
