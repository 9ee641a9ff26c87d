import Crypto
import Foundation
import GRDB
import Testing
import WardCBOR
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

    /// Puts another effort for the passphrase into the header, with a checksum that fits.
    func setEffort(passes: Int, memory: Int) throws {
        try changeHeader { pair in
            guard pair.key == 3, var derivation = pair.value.arrayValue else { return pair }
            derivation[1] = .integer(Int64(passes))
            derivation[2] = .integer(Int64(memory))
            return CBORPair(key: 3, value: .array(derivation))
        }
    }

    /// Takes the proof for the recovery key out of the header, with a checksum that fits.
    func removeProof() throws { try changeHeader { $0.key == 15 ? nil : $0 } }

    private func changeHeader(_ change: (CBORPair) -> CBORPair?) throws {
        let header = try header()
        var parts = try #require(try CBORValue.decode(Array(header.dropLast(32)), rules: .webAuthn).arrayValue)
        let encoded = try #require(parts[3].bytesValue)
        let payload = try #require(try CBORValue.decode(encoded, rules: .webAuthn).mapValue)
        parts[3] = .bytes(CBORValue.map(payload.compactMap(change)).encoded())
        let body = CBORValue.array(parts).encoded()
        try setHeader(body + Array(SHA256.hash(data: body)))
    }

    /// All rows of the log, column for column.
    func rows() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            try String.fetchAll(
                db,
                sql:
                    "SELECT position || ' ' || previous || ' ' || hex(entry) || ' ' || ifnull(hex(blob), '-') FROM log ORDER BY position"
            )
        }
    }

    /// Where the contents of attached files lie, and their sizes; `nil` for those that were cleared.
    private func contentRows(_ db: Database) throws -> [(position: Int64, size: Int?)] {
        try Row.fetchAll(db, sql: "SELECT position, entry, length(blob) FROM log ORDER BY position").compactMap { row in
            let entry = try CBORValue.decode([UInt8](row[1] as Data), rules: .webAuthn)
            guard let payload = entry.arrayValue?.first?.bytesValue,
                try CBORValue.decode(payload, rules: .webAuthn)[6] == 20
            else { return nil }
            return (row[0], row[2])
        }
    }

    /// The sizes of the contents of attached files; `nil` for those that were cleared.
    func contents() throws -> [Int?] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try contentRows($0).map(\.size) }
    }

    /// Changes a byte in a content, counted from 1.
    func changeContent(number: Int) throws {
        try run { db in
            let position = try contentRows(db)[number - 1].position
            var blob = try #require(
                try Data.fetchOne(db, sql: "SELECT blob FROM log WHERE position = ?", arguments: [position])
            )
            blob[blob.count / 2] ^= 1
            try db.execute(sql: "UPDATE log SET blob = ? WHERE position = ?", arguments: [blob, position])
        }
    }

    func execute(_ sql: String) throws {
        try run { try $0.execute(sql: sql) }
    }
}
