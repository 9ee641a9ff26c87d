import ArgumentParser
import Configuration
import Foundation

/// The options for the audit log's key and heads.
struct AuditOptions: ParsableArguments {
    @Option(help: .auditKey) var auditKey: String?
    @Option(help: .auditHeads) var auditHeads: String?

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values.set(.auditKey, auditKey)
        values.set(.auditHeads, auditHeads)
        return values
    }

    /// The paths of the files, from the options, the environment or the settings file.
    func files(_ store: DatabaseOptions) async throws -> AuditFiles {
        let reader = try await SettingsReader(store.values.merging(values) { $1 })
        return try await AuditFiles(reader, database: try await reader.databaseFile())
    }
}

/// The files that the audit log needs in addition to the database: the key and the heads.
struct AuditFiles {
    let key: String
    let heads: String?

    init(_ reader: SettingsReader, database: String) async throws {
        // By default the key is beside the database: the service can write it there, and the commands find it. The heads have no
        // default file.
        let folder = URL(fileURLWithPath: database).deletingLastPathComponent()
        key = try await reader.string(.auditKey) ?? folder.appending(path: "audit.key").path
        heads = try await reader.string(.auditHeads)
    }
}
