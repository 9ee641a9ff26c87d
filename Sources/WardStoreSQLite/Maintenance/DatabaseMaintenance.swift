import Foundation
import GRDB

/// Copies, restores and migrates a database file.
package enum DatabaseMaintenance {
    /// Copies a database while a service may use it.
    ///
    /// The copy gets its name only after it was checked and is on the disk. Only the owner can read it.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - place: The copy's path.
    ///   - replacing: Whether a file at that path is replaced.
    /// - Returns: What the copy contains.
    /// - Throws: ``MaintenanceError`` if the copy cannot be written; `StoreError` if the database cannot be read or is
    ///   damaged.
    package static func backUp(_ path: String, to place: String, replacing: Bool) throws -> DatabaseState {
        try DatabaseState.existingDatabase(path)
        guard FileIdentity(path: place) != FileIdentity(path: path) else {
            throw MaintenanceError("\(place) is the database itself: give another file for the backup")
        }
        let taken = MaintenanceError("\(place) already exists: give another file, or add --replace")
        guard replacing || FileIdentity(path: place) == nil else { throw taken }
        let lock = try DatabaseLock.shared(path)
        return try withExtendedLifetime(lock) {
            let copy = try DatabaseCopy(of: path, beside: place)
            if replacing {
                try copy.replace(place)
            } else {
                guard try copy.link(to: place) else { throw taken }
            }
            return copy.state
        }
    }

    /// Brings the tables of a database up to date.
    ///
    /// - Parameter path: The database.
    /// - Returns: The names of the migrations that it did; empty if the database was up to date.
    /// - Throws: ``MaintenanceError`` if a service uses the database; `StoreError` if it cannot be read, is damaged or was
    ///   written by a later version.
    package static func migrate(_ path: String) throws -> [String] {
        try DatabaseState.existingDatabase(path)
        guard let lock = try DatabaseLock.exclusive(path) else { throw inUse(path) }
        return try withExtendedLifetime(lock) {
            try translatingErrors {
                var configuration = Configuration()
                configuration.foreignKeysEnabled = true
                configuration.busyMode = .timeout(SQLiteAccountStore.busyTimeout)
                let database = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? database.close() }
                try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                let before = try database.read(Schema.version)
                try Schema.prepare(database)
                return Array(Schema.identifiers.dropFirst(before))
            }
        }
    }

    static func inUse(_ path: String) -> MaintenanceError {
        MaintenanceError("\(path) is in use: stop the service, and close every other program that has it open")
    }
}
