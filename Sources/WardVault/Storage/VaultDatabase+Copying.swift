internal import Foundation
internal import GRDB

extension VaultDatabase {
    /// Copies the database, as it is now, into a new file for its owner alone.
    ///
    /// The copy is whole: what still lies in the write-ahead log is in it. It is on the disk when this returns.
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

    /// Removes a database with everything SQLite keeps beside it.
    static func remove(_ path: String) {
        for suffix in sidecars + [""] { _ = unsafe unlink(path + suffix) }
    }

    /// What SQLite may keep beside a database.
    static let sidecars = ["-wal", "-shm", "-journal"]
}
