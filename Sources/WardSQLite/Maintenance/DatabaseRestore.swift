package import Foundation
import GRDB

/// A restore of which everything is checked and nothing has changed yet.
///
/// So several databases can be checked before the first one is replaced.
package final class DatabaseRestore<State: MaintainedDatabase> {
    /// What a restore did.
    package struct Outcome: Sendable {
        /// The contents of the database after the restore.
        package let contents: State
        /// The path of the earlier database, or `nil` if there was none.
        package let kept: String?
    }

    private let path: String
    private let copy: DatabaseCopy<State>
    /// The earlier database; `nil` if there is none.
    private let earlier: Earlier?

    private struct Earlier {
        let lock: DatabaseLock
        let isDamaged: Bool
    }

    /// Copies a backup beside a database, and checks both.
    ///
    /// What must not come back is not in the copy: ``MaintainedDatabase/prepareRestored(_:)``. No service can open the database as long as
    /// the value exists.
    ///
    /// - Parameters:
    ///   - path: The database's path. Its folder must exist.
    ///   - backup: The backup; it is read and checked, and stays.
    /// - Throws: ``MaintenanceError`` if a program uses the database, if the backup is not one of it, or if files cannot be written;
    ///   ``DatabaseFailure`` if the backup cannot be read or is damaged.
    package init(of path: String, from backup: String) throws {
        guard FileIdentity(path: backup) != nil else { throw MaintenanceError("there is no backup at \(backup)") }
        guard FileIdentity(path: backup) != FileIdentity(path: path) else {
            throw MaintenanceError("\(backup) is the database itself: give the path of a backup")
        }
        self.path = path
        guard let before = FileIdentity(path: path) else {
            // A write-ahead log that is left beside the path must be removed. SQLite would copy it into the restored database.
            guard FileIdentity(path: path + "-wal") == nil else {
                throw MaintenanceError(
                    "\(path)-wal exists, but its database does not: move the file away, and restore again"
                )
            }
            copy = try DatabaseCopy(of: backup, beside: path, isRestored: true)
            earlier = nil
            return
        }
        guard let lock = try DatabaseLock.exclusive(path), FileIdentity(path: path) == before else {
            throw MaintenanceError.inUse(path)
        }
        copy = try DatabaseCopy(of: backup, beside: path, isRestored: true)
        let old = try Self.readOld(path)
        if let old, let refusal = copy.contents.refusal(toReplace: old) { throw MaintenanceError(refusal) }
        if old != nil { try Self.mergeLog(path) }
        earlier = Earlier(lock: lock, isDamaged: old == nil)
    }

    /// Puts the copy into the place of the database, which stays beside it under another name.
    ///
    /// At every moment the path leads to the complete old database or the complete new one, even if the process is killed.
    ///
    /// - Parameter now: The time in the kept database's name.
    /// - Returns: What the restore did.
    /// - Throws: ``MaintenanceError``; then the old database is still in its place.
    package func finish(now: Date = Date()) throws -> Outcome {
        guard let earlier else {
            guard try copy.link(to: path) else { throw MaintenanceError.inUse(path) }
            return Outcome(contents: copy.contents, kept: nil)
        }
        return try withExtendedLifetime(earlier.lock) {
            let kept = try Self.retire(path, isDamaged: earlier.isDamaged, now: now)
            try copy.takeOwner(of: kept)
            try copy.replace(path)
            return Outcome(contents: copy.contents, kept: kept)
        }
    }

    /// The contents of the old database, or `nil` if it is damaged.
    private static func readOld(_ path: String) throws -> State? {
        do {
            return try translatingErrors { try State.read(path, acceptsLater: true) }
        } catch let error as DatabaseFailure where error.code == .damaged {
            return nil
        }
    }

    /// Gives the old database a second name.
    ///
    /// It is one file without a write-ahead log; a damaged database keeps its log.
    private static func retire(_ path: String, isDamaged: Bool, now: Date) throws -> String {
        let date = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        for number in 1...1_000 {
            let kept = "\(path).before-restore-\(date)" + (number == 1 ? "" : "-\(number)")
            guard unsafe link(path, kept) == 0 else {
                if errno == EEXIST { continue }
                throw MaintenanceError("\(kept) cannot be written", errno: errno)
            }
            if isDamaged {
                // SQLite would write the log into the damaged file and remove the log.
                for suffix in ["-wal", "-shm", "-journal"] where FileIdentity(path: path + suffix) != nil {
                    guard unsafe rename(path + suffix, kept + suffix) == 0 else {
                        throw MaintenanceError("\(path)\(suffix) cannot be moved", errno: errno)
                    }
                }
            }
            try Disk.synchronize(folderOf: kept)
            return kept
        }
        throw MaintenanceError("there are too many databases of earlier restores beside \(path): remove some")
    }

    /// Copies the write-ahead log of a database into the database and removes the log.
    ///
    /// - Throws: ``MaintenanceError`` if another program, such as `sqlite3`, has the database open.
    private static func mergeLog(_ path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let mode = try database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try database.close()
            guard mode == "delete", FileIdentity(path: path + "-wal") == nil else {
                throw MaintenanceError.inUse(path)
            }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw MaintenanceError.inUse(path)
        } catch let error as DatabaseError {
            throw DatabaseFailure(error)
        }
    }
}

extension DatabaseCopy {
    /// If this process runs as root, gives the copy to the owner of another file, so that the service can open it.
    fileprivate func takeOwner(of other: String) throws(MaintenanceError) {
        guard geteuid() == 0 else { return }
        var found = stat()
        guard unsafe stat(other, &found) == 0, unsafe chown(path, found.st_uid, found.st_gid) == 0 else {
            throw MaintenanceError("the restored database cannot be given to the owner of \(other)", errno: errno)
        }
    }
}
