import Foundation
import GRDB

/// A verified copy of a database in a separate file, before it gets its final name.
///
/// If the file did not get a final name, it is removed.
struct DatabaseCopy<State: MaintainedDatabase>: ~Copyable {
    /// The file's temporary path.
    let path: String
    /// The contents of the copy.
    let contents: State

    deinit { _ = unsafe unlink(path) }

    /// Copies a database with SQLite's online backup into a file beside the destination, checks the copy, and waits until it is
    /// on the disk.
    ///
    /// Only the owner can read the copy. It is one file, without a log beside it.
    ///
    /// - Parameters:
    ///   - source: The database; other connections can write to it meanwhile.
    ///   - place: The path that the copy is for.
    ///   - isRestored: Whether the copy is to be used instead of the database: ``MaintainedDatabase/prepareRestored(_:)``.
    /// - Throws: ``DatabaseFailure`` or ``MaintenanceError``; then no file is left.
    init(of source: String, beside place: String, isRestored: Bool = false) throws {
        let path = "\(place).\(String(UInt32.random(in: .min ... .max), radix: 16)).partial"
        contents = try Self.write(source, to: path, isRestored: isRestored)
        self.path = path
    }

    private static func write(_ source: String, to path: String, isRestored: Bool) throws -> State {
        try DatabaseFile.create(at: path, State.schema)
        do {
            try translatingErrors { try copy(source, to: path, isRestored: isRestored) }
            let contents = try translatingErrors { try State.read(path) }
            try Disk.synchronize(path)
            return contents
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
    }

    private static func copy(_ source: String, to path: String, isRestored: Bool) throws {
        var configuration = Configuration.checking
        configuration.busyMode = .timeout(StoreDatabase.busyTimeout)
        let target = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? target.close() }
        configuration.readonly = true
        let original = try DatabaseQueue(path: source, configuration: configuration)
        defer { try? original.close() }
        // All pages are copied in one step, so the copy is one snapshot, even if other programs write in the meantime.
        try original.backup(to: target)
        try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        guard isRestored else { return }
        try target.write { db in
            try State.schema.checkOwner(db)
            try State.prepareRestored(db)
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
        try Disk.synchronize(folderOf: place)
        return true
    }

    /// Gives the copy its final name.
    ///
    /// If a file with this name exists, it loses the name in the same step.
    func replace(_ place: String) throws(MaintenanceError) {
        guard unsafe rename(path, place) == 0 else {
            throw MaintenanceError("\(place) cannot be written", errno: errno)
        }
        try Disk.synchronize(folderOf: place)
    }
}
