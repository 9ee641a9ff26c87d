internal import Foundation

/// What the system says about a file.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file
        case folder
        case link
        /// A pipe, a socket or a device.
        case other
    }

    let kind: Kind
    /// The size in bytes.
    let size: Int
    /// When the file was last changed, in seconds since 1970.
    let seconds: Int
    /// The same in nanoseconds; a time that does not fit wraps around.
    let modified: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        size = Int(status.st_size)
        seconds = Int(status.st_mtim.tv_sec)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
