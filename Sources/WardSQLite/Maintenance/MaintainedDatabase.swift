package import GRDB

/// What a kind of database contains, for an administrator who checks, copies, restores and migrates it.
package protocol MaintainedDatabase: Sendable {
    /// The tables.
    static var schema: DatabaseSchema { get }
    /// The option that names the file, such as `--database`.
    static var option: String { get }

    /// Reads what a database contains.
    ///
    /// The database can be empty, or have the tables of an earlier version.
    init(_ db: Database) throws

    /// Changes a copy of a backup before it gets its place: what must not come back is removed.
    static func prepareRestored(_ db: Database) throws

    /// Why the database cannot replace another one, as a sentence with what to do next; `nil` if it can.
    func refusal(toReplace other: Self) -> String?
}

extension MaintainedDatabase {
    /// The schema version that this version of Ward reads and writes.
    package static var currentSchemaVersion: Int { schema.identifiers.count }

    /// Reads every page of a database, checks its structure and every reference, and counts its records.
    ///
    /// It changes nothing. A service can run at the same time.
    ///
    /// - Parameter path: The file; it must exist.
    /// - Returns: What the database contains.
    /// - Throws: ``MaintenanceError`` if there is no file; ``DatabaseFailure`` with `damaged` and the first problem, or with
    ///   `unavailable` if it belongs to another program or was written by a later version.
    package static func check(_ path: String) throws -> Self {
        try requireFile(path)
        let lock = try DatabaseLock.shared(path)
        return try withExtendedLifetime(lock) { try translatingErrors { try read(path) } }
    }

    /// Copies a database while a service may use it.
    ///
    /// The copy gets its name only after it was checked and is on the disk. Only the owner can read it.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - place: The copy's path.
    ///   - replacing: Whether a file at that path is replaced.
    /// - Returns: What the copy contains.
    /// - Throws: ``MaintenanceError`` if the copy cannot be written; ``DatabaseFailure`` if the database cannot be read or is damaged.
    package static func backUp(_ path: String, to place: String, replacing: Bool) throws -> Self {
        try requireFile(path)
        guard FileIdentity(path: place) != FileIdentity(path: path) else {
            throw MaintenanceError("\(place) is the database itself: give another file for the backup")
        }
        let taken = MaintenanceError("\(place) already exists: give another file, or add --replace")
        guard replacing || FileIdentity(path: place) == nil else { throw taken }
        let lock = try DatabaseLock.shared(path)
        return try withExtendedLifetime(lock) {
            let copy = try DatabaseCopy<Self>(of: path, beside: place)
            if replacing {
                try copy.replace(place)
            } else {
                guard try copy.link(to: place) else { throw taken }
            }
            return copy.contents
        }
    }

    /// Brings the tables of a database up to date.
    ///
    /// - Parameter path: The database.
    /// - Returns: The names of the migrations that it did; empty if the database was up to date.
    /// - Throws: ``MaintenanceError`` if a service uses the database; ``DatabaseFailure`` if it cannot be read, is damaged or was
    ///   written by a later version.
    package static func migrate(_ path: String) throws -> [String] {
        try requireFile(path)
        guard let lock = try DatabaseLock.exclusive(path) else { throw MaintenanceError.inUse(path) }
        return try withExtendedLifetime(lock) {
            try translatingErrors {
                var configuration = Configuration()
                configuration.foreignKeysEnabled = true
                configuration.busyMode = .timeout(StoreDatabase.busyTimeout)
                let database = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? database.close() }
                try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                let before = try database.read(schema.version)
                try schema.prepare(database)
                return Array(schema.identifiers.dropFirst(before))
            }
        }
    }

    /// Reads a database that the caller has locked, or that no other program knows.
    ///
    /// With `acceptsLater`, the database may be from a later version of Ward.
    static func read(_ path: String, acceptsLater: Bool = false) throws -> Self {
        var configuration = Configuration.checking
        configuration.readonly = true
        configuration.busyMode = .timeout(StoreDatabase.busyTimeout)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? database.close() }
        return try database.read { db in
            try schema.checkOwner(db, acceptsLater: acceptsLater)
            try db.checkIntegrity()
            return try Self(db)
        }
    }

    /// - Throws: ``MaintenanceError`` unless there is a file.
    private static func requireFile(_ path: String) throws(MaintenanceError) {
        guard FileIdentity(path: path) != nil else {
            throw MaintenanceError(
                "there is no database at \(path): give another path with \(option), or create the database with ward-server "
                    + "serve"
            )
        }
    }
}

extension Database {
    /// The number of rows of a query; 0 if a table that it reads does not exist yet.
    package func count(_ sql: String, in tables: String...) throws -> Int {
        guard try tables.allSatisfy({ try tableExists($0) }) else { return 0 }
        return try Int.fetchOne(self, sql: "SELECT count(*) FROM \(sql)") ?? 0
    }
}
