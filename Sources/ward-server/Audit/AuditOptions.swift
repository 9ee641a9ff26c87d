import ArgumentParser
import Configuration
import Foundation
import WardAccounts
import WardText

/// Where the audit log's key and heads are.
struct AuditOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key that signs the audit log; created at the first start (default: audit.key beside the database).",
            valueName: "path"
        )
    )
    var auditKey: String?

    @Option(
        help: ArgumentHelp(
            "A file for the audit log's signed heads (default: only the log has them).",
            valueName: "path"
        )
    )
    var auditHeads: String?

    /// What was given, in the terms of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[Setting.auditKey.absoluteKey] = auditKey.map { ConfigValue(.string($0), isSecret: false) }
        values[Setting.auditHeads.absoluteKey] = auditHeads.map { ConfigValue(.string($0), isSecret: false) }
        return values
    }

    /// The files, from the options, the environment or the file of settings.
    func files(_ store: DatabaseOptions) async throws -> AuditFiles {
        let reader = try await SettingsReader(store.values.merging(values) { $1 })
        return try await AuditFiles(reader, database: try await reader.databaseFile())
    }
}

/// The files beside the database that make the audit log worth something.
struct AuditFiles {
    let key: String
    let heads: String?

    init(_ reader: SettingsReader, database: String) async throws {
        // The service can write there, and commands that name the database find it.
        let folder = URL(fileURLWithPath: database).deletingLastPathComponent()
        key = try await reader.string(.auditKey) ?? folder.appending(path: "audit.key").path
        heads = try await reader.string(.auditHeads)
    }

    /// The heads that the file has.
    ///
    /// - Throws: ``SettingsError`` if it cannot be read or has something else.
    func readHeads() throws -> [AuditSeal] {
        guard let heads else { return [] }
        guard let text = try? String(contentsOfFile: heads, encoding: .utf8) else {
            throw SettingsError("--audit-heads: \(heads) cannot be read")
        }
        return try text.split(separator: "\n").enumerated().map { index, line in
            guard let json = try? JSONValue(Array(line.utf8)), let head = AuditSeal(head: json) else {
                throw SettingsError("--audit-heads: line \(index + 1) of \(heads) is not a head of an audit log")
            }
            return head
        }
    }
}
