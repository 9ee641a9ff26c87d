import ArgumentParser
import Configuration

/// The option for the database of a command.
struct DatabaseOptions: ParsableArguments {
    @Option(help: .database) var database: String?
    @Option(help: .config) var config: String?

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values.set(.database, database)
        values.set(.config, config)
        return values
    }

    /// The path of the database's file, from the options, the environment or the settings file.
    ///
    /// - Throws: ``SettingsError``.
    func path() async throws -> String { try await SettingsReader(values).databaseFile() }
}
