internal import Foundation
internal import GRDB

extension VaultDatabase {
    /// Copies the current database into a new file.
    ///
    /// Only the owner can read the copy.
    ///
    /// The copy also contains the changes that are still in the write-ahead log. It is on the disk when this call returns.
    ///
    /// - Throws: ``VaultError`` with `diskFull`, `unavailable` or `damaged`; there is then no copy.
    func copy(to path: String) throws(VaultError) {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SmallFile.refusal("writing", path) }
        defer { _ = Foundation.close(descriptor) }
        do throws(VaultError) {
            try translated {
                let target = try DatabaseQueue(path: path)
                defer { try? target.close() }
                try copyPages(to: target)
            }
            guard fsync(descriptor) == 0 else { throw SmallFile.refusal("writing", path) }
            try SmallFile.synchronize(directory: SmallFile.folder(path))
        } catch {
            Self.remove(path)
            throw error
        }
    }

    /// Removes a database and all files that SQLite has beside it.
    static func remove(_ path: String) {
        for suffix in sidecars + [""] { _ = unsafe unlink(path + suffix) }
    }

    /// The suffixes of the files that SQLite can have beside a database.
    static let sidecars = ["-wal", "-shm", "-journal"]
}
