import ArgumentParser
import Configuration
import WardServer
import WardStoreSQLite

/// The options of commands that print a link to the service.
struct LinkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The origin of the link (default: the service's first origin).", valueName: "origin")
    )
    var origin: String?

    /// The settings of the service after a check.
    ///
    /// The database knows the RP ID, which gives the default origin.
    func settings(of store: SQLiteAccountStore, _ database: DatabaseOptions) async throws -> ServerConfiguration {
        var values = database.values
        if let rpID = try await store.read({ try $0.secret(named: "rp-id") }) {
            values[Setting.rpID.absoluteKey] = ConfigValue(
                .string(String(decoding: rpID, as: UTF8.self)),
                isSecret: false
            )
        }
        values[Setting.origin.absoluteKey] = origin.map { ConfigValue(.stringArray([$0]), isSecret: false) }
        let settings = try await ServeSettings(values).server
        try settings.validate()
        return settings
    }
}
