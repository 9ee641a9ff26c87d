import Foundation
import GRDB

/// A verified copy of a database in a separate file, before it gets its final name.
///
/// If the file did not get a final name, it is removed.
struct DatabaseCopy: ~Copyable {
    /// The file's temporary path.
    let path: String
    /// The contents of the copy.
    let state: DatabaseState

    deinit { _ = unsafe unlink(path) }

    /// Copies a database with SQLite's online backup into a file beside the destination, checks the copy, and waits until it is
    /// on the disk.
    ///
    /// Only the owner can read the copy. It is one file, without a log beside it.
    ///
    /// - Parameters:
    ///   - source: The database; other connections can write to it meanwhile.
    ///   - place: The path that the copy is for.
    ///   - endingSessions: Whether the copy has no sessions, no ceremonies, no links and no messages that wait.
    /// - Throws: `StoreError` or ``MaintenanceError``; then no file is left.
    init(of source: String, beside place: String, endingSessions: Bool = false) throws {
        let path = "\(place).\(String(UInt32.random(in: .min ... .max), radix: 16)).partial"
        state = try Self.write(source, to: path, endingSessions: endingSessions)
        self.path = path
    }

    private static func write(_ source: String, to path: String, endingSessions: Bool) throws -> DatabaseState {
        try DatabaseFile.create(at: path)
        do {
            try translatingErrors { try copy(source, to: path, endingSessions: endingSessions) }
            let state = try translatingErrors { try DatabaseState.read(path) }
            try synchronize(path)
            return state
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
    }

    private static func copy(_ source: String, to path: String, endingSessions: Bool) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(SQLiteAccountStore.busyTimeout)
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        let target = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? target.close() }
        configuration.readonly = true
        let original = try DatabaseQueue(path: source, configuration: configuration)
        defer { try? original.close() }
        // All pages are copied in one step, so the copy is one snapshot, even if other programs write in the meantime.
        try original.backup(to: target)
        try target.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            guard endingSessions else { return }
            for table in ["session", "ceremony", "recovery_link", "mail_link", "mail"] where try db.tableExists(table) {
                try db.execute(sql: "DELETE FROM \(table)")
            }
        }
    }

    /// Gives the copy its final name, unless a file with this name exists.
    ///
    /// - Returns: Whether the name was free.
    func link(to place: String) throws(MaintenanceError) -> Bool {
        guard unsafe Foundation.link(path, place) == 0 else {
            let reason = errno
            if reason == EEXIST { return false }
            throw MaintenanceError("\(place) cannot be written", errno: reason)
        }
        try Self.synchronize(folderOf: place)
        return true
    }

    /// Gives the copy its final name.
    ///
    /// If a file with this name exists, it loses the name in the same step.
    func replace(_ place: String) throws(MaintenanceError) {
        guard unsafe rename(path, place) == 0 else {
            throw MaintenanceError("\(place) cannot be written", errno: errno)
        }
        try Self.synchronize(folderOf: place)
    }

    /// Waits until the entries of a folder are on the disk.
    static func synchronize(folderOf path: String) throws(MaintenanceError) {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func synchronize(_ path: String) throws(MaintenanceError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MaintenanceError("\(path) cannot be opened", errno: errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw MaintenanceError("\(path) cannot be written to the disk", errno: errno)
        }
    }
}
