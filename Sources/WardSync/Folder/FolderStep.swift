/// The steps of a folder remote, which a test can watch and stop.
///
/// Each has the path of the file, or of the folder.
package enum FolderStep: Hashable, Sendable {
    /// A segment that was listed is opened for reading.
    case open(String)
    /// The contents of a new segment are written under a temporary name.
    case create(String)
    /// The new segment gets its name.
    case rename(String)
    /// The names in the folder are flushed to the disk.
    case synchronize(String)
    /// A segment that was merged into another one is deleted.
    case delete(String)
}
