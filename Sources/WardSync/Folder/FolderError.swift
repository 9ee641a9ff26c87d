internal import Foundation
internal import WardText

/// Why entries cannot be written into a folder.
///
/// Errors are equal if their codes are. Code and detail never contain a secret.
package struct FolderError: CodedError {
    /// The kind of problem.
    package struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        package let name: String

        /// The folder is not there, for example because its drive is not connected.
        package static let missing = Self(name: "folder_missing")
        /// The drive or the quota is full.
        package static let diskFull = Self(name: "disk_full")
        /// This user may not read or change the folder.
        package static let denied = Self(name: "folder_denied")
        /// The folder is on a read-only file system.
        package static let readOnly = Self(name: "read_only")
        /// A file or a link is where Ward needs a folder, or the other way round.
        package static let blocked = Self(name: "folder_blocked")
        /// The folder has other entries of this device with the same numbers.
        package static let contradiction = Self(name: "contradiction")
        /// This device has as many segments as a reader reads.
        package static let tooManySegments = Self(name: "too_many_segments")
        /// The device's folder has more files than Ward looks at.
        package static let tooManyFiles = Self(name: "too_many_files")
        /// The entries do not follow each other, are from another device, are too long, or have a wrong blob.
        package static let invalidRecords = Self(name: "invalid_records")
        /// The file system returned another error.
        package static let unavailable = Self(name: "folder_unavailable")
    }

    /// The kind of problem.
    package let code: Code
    /// What is wrong, and what to do.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension FolderError {
    /// What the system said about a path, and what a person can do.
    init(_ failure: SystemFailure, _ path: String) {
        switch failure.number {
        case ENOSPC, EDQUOT:
            self.init(.diskFull, "There is no space left for \(path). Free space there, then try again.")
        case EROFS:
            self.init(.readOnly, "\(path) is on a read-only drive. Mount it for writing, or choose another folder.")
        case EACCES, EPERM:
            self.init(.denied, "This user may not use \(path). Change its permissions, or choose another folder.")
        case ENOENT:
            self.init(.missing, "\(path) is not there. Connect its drive, or choose another folder.")
        case ELOOP, ENOTDIR, EISDIR, EEXIST, ENOTEMPTY:
            self.init(
                .blocked,
                "\(path) is in the way, because it is not what Ward writes there. Move it away, or choose another folder."
            )
        default:
            self.init(.unavailable, "\(path): \(failure.words). Check its drive, then try again.")
        }
    }
}
