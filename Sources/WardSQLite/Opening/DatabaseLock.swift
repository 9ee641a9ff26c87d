import Foundation

/// A lock on a database file (`flock(2)`), beside SQLite's own locks.
///
/// All programs that open the database share the lock. A restore or a migration takes it exclusively. Without it, a program
/// that waits for SQLite's locks during a restore would continue with the file that was moved away.
///
/// The lock is independent of SQLite's connections. Release it after they are closed: when a process closes a descriptor of a
/// file, it loses all its `fcntl(2)` locks on that file.
final class DatabaseLock: Sendable {
    private let descriptor: CInt
    private let path: String

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Whether the path still leads to the locked file.
    var isInPlace: Bool { FileIdentity(descriptor: descriptor) == FileIdentity(path: path) }

    deinit { _ = close(descriptor) }

    /// Locks the file together with other programs that use the database.
    ///
    /// - Throws: ``DatabaseFailure/Code/unavailable`` while a restore or a migration runs.
    static func shared(_ path: String) throws -> DatabaseLock {
        guard let lock = try take(LOCK_SH, path) else {
            throw DatabaseFailure(
                .unavailable,
                detail: "the database is being restored or migrated: start again when that is finished"
            )
        }
        return lock
    }

    /// Locks the file exclusively.
    ///
    /// The result is `nil` if another program of Ward uses the database.
    static func exclusive(_ path: String) throws -> DatabaseLock? { try take(LOCK_EX, path) }

    private static func take(_ operation: CInt, _ path: String) throws -> DatabaseLock? {
        // A restore puts another file at this path. So the locked file must still be the one at the path.
        for _ in 0..<100 {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw unusable(errno) }
            let lock = DatabaseLock(descriptor, path)
            guard flock(descriptor, operation | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw unusable(errno) }
                if errno == EINTR { continue }
                return nil
            }
            if lock.isInPlace { return lock }
        }
        return nil
    }

    private static func unusable(_ reason: CInt) -> DatabaseFailure {
        let words = unsafe String(cString: strerror(reason))
        return DatabaseFailure(.unavailable, detail: "the database file cannot be opened: \(words)")
    }
}
