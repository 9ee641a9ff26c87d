package import Foundation
import GRDB
import WardAccounts

extension DatabaseMaintenance {
    /// What a restore did.
    package struct Restoration: Sendable {
        /// The contents of the database after the restore.
        package let state: DatabaseState
        /// The path of the earlier database, or `nil` if there was none.
        package let kept: String?
    }

    /// Replaces a database with a copy of a backup.
    ///
    /// The earlier database stays beside it under another name.
    ///
    /// Sessions and ceremonies of the backup are not restored, because they may have been ended on purpose since.
    ///
    /// At every moment the path leads to the complete old database or the complete new one, even if the process is killed.
    ///
    /// - Parameters:
    ///   - path: The database's path. Its folder must exist.
    ///   - backup: The backup; it is read and checked, and stays.
    ///   - now: The time in the kept database's name.
    /// - Returns: What the restore did.
    /// - Throws: ``MaintenanceError`` if a program uses the database, if both are of different services, or if files cannot
    ///   be written; `StoreError` if the backup cannot be read or is damaged. Then the old database is still in its place.
    package static func restore(_ path: String, from backup: String, now: Date = Date()) throws -> Restoration {
        guard FileIdentity(path: backup) != nil else { throw MaintenanceError("there is no backup at \(backup)") }
        guard FileIdentity(path: backup) != FileIdentity(path: path) else {
            throw MaintenanceError("\(backup) is the database itself: give the path of a backup")
        }
        guard let before = FileIdentity(path: path) else {
            // A write-ahead log that is left beside the path must be removed. SQLite would copy it into the restored database.
            guard FileIdentity(path: path + "-wal") == nil else {
                throw MaintenanceError(
                    "\(path)-wal exists, but its database does not: move the file away, and restore again"
                )
            }
            let copy = try DatabaseCopy(of: backup, beside: path, endingSessions: true)
            guard try copy.link(to: path) else { throw inUse(path) }
            return Restoration(state: copy.state, kept: nil)
        }
        guard let lock = try DatabaseLock.exclusive(path), FileIdentity(path: path) == before else { throw inUse(path) }
        return try withExtendedLifetime(lock) {
            let copy = try DatabaseCopy(of: backup, beside: path, endingSessions: true)
            let old = try readOld(path)
            if let rpID = old?.rpID, let other = copy.state.rpID, rpID != other {
                throw MaintenanceError(
                    "the backup is of \(other) and the database is of \(rpID): restore it to another file with --database"
                )
            }
            let kept = try retire(path, isDamaged: old == nil, now: now)
            try copy.takeOwner(of: kept)
            try copy.replace(path)
            return Restoration(state: copy.state, kept: kept)
        }
    }

    /// The contents of the old database, or `nil` if it is damaged.
    private static func readOld(_ path: String) throws -> DatabaseState? {
        do {
            return try translatingErrors { try DatabaseState.read(path, acceptsLater: true) }
        } catch let error as StoreError where error.code == .damaged {
            return nil
        }
    }

    /// Gives the old database a second name.
    ///
    /// It is one file without a write-ahead log; a damaged database keeps its log.
    private static func retire(_ path: String, isDamaged: Bool, now: Date) throws -> String {
        if !isDamaged { try mergeLog(path) }
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
            try DatabaseCopy.synchronize(folderOf: kept)
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
            guard mode == "delete", FileIdentity(path: path + "-wal") == nil else { throw inUse(path) }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw inUse(path)
        } catch let error as DatabaseError {
            throw StoreError(error)
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
