import Foundation
import GRDB
import WardVault

/// Changes a closed vault's file in ways that keep SQLite content.
struct Tampering {
    private let path: String

    init(_ location: VaultLocation) { path = location.database }

    func run(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write(body)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }

    func copyHeader(from other: VaultLocation) throws {
        let source = try DatabaseQueue(path: other.database)
        let header = try source.read { try Data.fetchOne($0, sql: "SELECT body FROM header") }
        try source.close()
        try run { try $0.execute(sql: "UPDATE header SET body = ?", arguments: [header]) }
    }

    func header() throws -> [UInt8] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { [UInt8](try Data.fetchOne($0, sql: "SELECT body FROM header") ?? Data()) }
    }

    func setHeader(_ bytes: [UInt8]) throws {
        try run { try $0.execute(sql: "UPDATE header SET body = ?", arguments: [Data(bytes)]) }
    }

    func execute(_ sql: String) throws {
        try run { try $0.execute(sql: sql) }
    }
}
