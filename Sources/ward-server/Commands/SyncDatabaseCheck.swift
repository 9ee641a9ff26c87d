import WardSQLite
import WardSyncStoreSQLite
import WardText

/// What a check found in the database of the sync server.
struct SyncDatabaseCheck {
    private let path: String?
    private var contents: SyncDatabaseState?
    private(set) var findings: [Finding] = []

    /// Reads the whole database.
    init(_ settings: SyncSettings) {
        guard settings.database != ServeSettings.memory else {
            path = nil
            findings = [
                .warning(
                    "sync_database_in_memory",
                    "the database of the sync server is in memory: everything is lost at the next stop"
                )
            ]
            return
        }
        path = settings.database
        let files = FileFindings(settings.database).findings.map { $0.prefixed("sync_") }
        findings = files
        guard !files.contains(where: { $0.code == "sync_database_missing" }) else { return }
        do {
            let found = try SyncDatabaseState.check(settings.database)
            contents = found
            if found.schemaVersion < SyncDatabaseState.currentSchemaVersion {
                findings.append(
                    .warning(
                        "sync_schema_outdated",
                        "the tables of the sync server are of an earlier version: the next start migrates them; back up first"
                    )
                )
            }
        } catch {
            let code = (error as? DatabaseFailure)?.code ?? .unavailable
            findings.append(
                .error("sync_database_" + code.name, "the database of the sync server cannot be used: \(error)")
            )
        }
    }

    var json: JSONValue {
        var members = [JSONValue.Member("database", path.map { .string($0) } ?? .null)]
        if let contents {
            members += [
                .init("schemaVersion", .integer(Int64(contents.schemaVersion))),
                .init("currentSchemaVersion", .integer(Int64(SyncDatabaseState.currentSchemaVersion))),
                .init("vaults", .integer(Int64(contents.vaults))),
                .init("entries", .integer(Int64(contents.entries))),
                .init("bytes", .integer(Int64(contents.bytes))),
            ]
        }
        return .object(members)
    }

    var lines: [String] {
        var lines: [String] = []
        if let path { lines.append("Sync       \(path)") }
        if let contents {
            lines.append("Contents   \(contents.sentence)")
            lines.append(
                "Schema     version \(contents.schemaVersion) of \(SyncDatabaseState.currentSchemaVersion)"
            )
        }
        return lines
    }
}
