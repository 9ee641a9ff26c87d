import ArgumentParser
import Configuration

/// The option for the database of a command.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The path of the SQLite database. :memory: stores nothing on disk (default: ward-data/ward.sqlite).",
            valueName: "path"
        )
    )
    var database: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with settings. The names are the same as those of the options.",
            valueName: "path"
        )
    )
    var config: String?

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[Setting.database.absoluteKey] = database.map { ConfigValue(.string($0), isSecret: false) }
        values[Setting.config.absoluteKey] = config.map { ConfigValue(.string($0), isSecret: false) }
        return values
    }

    /// The path of the database's file, from the options, the environment or the settings file.
    ///
    /// - Throws: ``SettingsError``.
    func path() async throws -> String { try await SettingsReader(values).databaseFile() }
}
