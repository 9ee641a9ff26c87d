import Foundation
import WardVault

/// Overwrites and removes files with secrets.
///
/// That is not a proof: an SSD writes to other cells, and a journal, a snapshot or a backup can have copies.
struct WipedFile: Sendable {
    /// Whether the file has other names.
    let hasOtherNames: Bool

    /// What the person should know.
    func sentence(_ path: String) -> String {
        let others = hasOtherNames ? " The file had other names (hard links), which now show zeros." : ""
        return """
            Overwrote and removed \(Table.clean(path)).\(others) An SSD, a snapshot, a backup or the cloud can still have copies: \
            change the most important passwords if that worries you.
            """
    }

    /// Overwrites and removes a file that a person named.
    ///
    /// - Throws: ``Failure`` with `unavailable` if it is no regular file or cannot be written.
    static func wipe(_ path: String) throws(Failure) -> WipedFile {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .unavailable,
                "The items were imported, but \(Table.clean(path)) is not a file that can be wiped"
            )
        }
        guard erase(path) else {
            throw Failure(
                .unavailable,
                "The items were imported, but \(Table.clean(path)) cannot be wiped. Check its permissions and its folder's"
            )
        }
        return WipedFile(hasOtherNames: status.st_nlink > 1)
    }

    /// Overwrites a file with zeros and removes it.
    ///
    /// - Returns: Whether both succeeded.
    @discardableResult
    static func erase(_ path: String) -> Bool { SmallFile.erase(path) }
}
