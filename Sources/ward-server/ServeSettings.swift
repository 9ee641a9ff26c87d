import Configuration
import Logging
import WardServer

/// The settings with which a service is started.
struct ServeSettings {
    var server: ServerConfiguration
    var database: String
    /// The settings of the sync server; `nil` if there is none.
    var sync: SyncSettings?
    var logLevel: Logger.Level
    var logFormat: LogFormat

    /// The path of the database if none is set.
    static let usualDatabase = "ward-data/ward.sqlite"
    /// The name of a database that is only in memory.
    static let memory = ":memory:"

    /// - Throws: ``SettingsError`` naming the setting that cannot be used.
    init(_ options: [AbsoluteConfigKey: ConfigValue]) async throws {
        let reader = try await SettingsReader(options)
        let rpID = try await reader.string(.rpID) ?? "localhost"
        let listen = try await reader.parsed(.listen) { try ListenAddress($0) } ?? .standard
        var server = ServerConfiguration(rpID: rpID, origins: try await reader.strings(.origin), listen: listen)
        server.metricsListen = try await reader.parsed(.metricsListen) { try ListenAddress($0) }
        server.adminListen = try await reader.parsed(.adminListen) { try ListenAddress($0) }
        server.adminGroup = try await reader.string(.adminGroup)
        server.trustedProxies = try await reader.strings(.trustedProxies) ?? []
        server.relatedOrigins = try await reader.strings(.relatedOrigin) ?? []
        server.apps = try await reader.strings(.app) ?? []
        server.androidApps = try await reader.strings(.androidApp) ?? []
        server.corsOrigins = try await reader.strings(.corsOrigin) ?? []
        server.appOrigins = try await reader.strings(.appOrigin) ?? []
        if let name = try await reader.string(.rpName) { server.rpName = name }
        server.logo = try await reader.string(.logo)
        server.icon = try await reader.string(.icon)
        server.accentColor = try await reader.string(.accentColor)
        server.metadata = try await reader.string(.metadata)
        server.homeURL = try await reader.string(.homeURL)
        if let idle = try await reader.parsed(.sessionIdle, { try Duration(settingText: $0) }) {
            server.sessionIdle = idle
        }
        if let absolute = try await reader.parsed(.sessionAbsolute, { try Duration(settingText: $0) }) {
            server.sessionAbsolute = absolute
        } else {
            server.sessionAbsolute = max(server.sessionAbsolute, server.sessionIdle)
        }
        if let isOn = try await reader.parsed(.deviceBoundSessions, Self.isOn) { server.bindsSessionsToDevices = isOn }
        if let lifetime = try await reader.parsed(.deviceProofLifetime, { try Duration(settingText: $0) }) {
            server.deviceProofLifetime = lifetime
        }
        if let policy = try await reader.parsed(.registration, { try RegistrationPolicy(settingText: $0) }) {
            server.registration = policy
        }
        if let required = try await reader.parsed(.userVerification, Self.requiresVerification) {
            server.requiresUserVerification = required
        }
        if let list = try await reader.parsed(.algorithms, { try AlgorithmList(settingText: $0) }) {
            server.algorithms = list
        }
        server.acceptsPasswords = try await !reader.flag(.passkeysOnly)
        if let memory = try await reader.parsed(.passwordMemory, { try PasswordEffort.memory(settingText: $0) }) {
            server.passwordEffort.memory = memory
        }
        if let passes = try await reader.parsed(.passwordPasses, { try PasswordEffort.passes(settingText: $0) }) {
            server.passwordEffort.passes = passes
        }
        if let length = try await reader.parsed(.passwordLength, Self.length) { server.passwordLength = length }
        server.breachedPasswords = try await reader.string(.breachedPasswords)
        server.reservedNames = try await reader.strings(.reservedName) ?? []
        server.allowsMixedScripts = try await reader.flag(.mixedScriptNames)
        server.servesFIDOConformance = try await reader.flag(.fidoConformance)
        database = try await reader.database()
        server.storeIsInMemory = database == Self.memory
        if !server.storeIsInMemory {
            let files = try await AuditFiles(reader, database: database)
            server.auditKey = files.key
            server.auditHeads = files.heads
        }
        if let retention = try await reader.parsed(.auditRetention, { try Duration(settingText: $0) }) {
            server.auditRetention = retention
        }
        if let interval = try await reader.parsed(.keyRotation, { try Duration(settingText: $0) }) {
            server.keyRotation = interval
        }
        if let wait = try await reader.parsed(.recoveryWait, { try Duration(settingText: $0) }) {
            server.recoveryWait = wait
        }
        server.usesRecoveryHelpers = try await reader.flag(.recoveryHelpers)
        if let interval = try await reader.parsed(.offerInterval, { try Duration(settingText: $0) }) {
            server.offerInterval = interval
        }
        server.auditsAddresses = try await reader.flag(.auditAddresses)
        server.mail = try await MailSettings(reader)
        server.policy = try await reader.string(.policy)
        server.texts = try await TextSettings(reader)
        server.identityProviders = try await reader.string(.identityProviders)
        server.webhooks = try await WebhookSettings(reader)
        self.server = server
        sync = try await SyncSettings(reader, rpID: rpID, besideDatabase: database)
        logLevel =
            try await reader.parsed(.logLevel) { text in
                guard let level = Logger.Level(rawValue: text) else {
                    throw SettingsError(
                        "--log-level: \"\(text)\" is not a log level; use info or another one from --help"
                    )
                }
                return level
            } ?? .info
        logFormat =
            try await reader.parsed(.logFormat) { text in
                guard let format = LogFormat(rawValue: text) else {
                    throw SettingsError("--log-format: \"\(text)\" is not a log format; use text or json")
                }
                return format
            } ?? .text
    }

    private static func requiresVerification(_ text: String) throws(ServerConfigurationError) -> Bool {
        switch text {
        case "required": true
        case "preferred": false
        default: throw ServerConfigurationError("user verification must be preferred or required, not \"\(text)\"")
        }
    }

    private static func isOn(_ text: String) throws(ServerConfigurationError) -> Bool {
        switch text {
        case "on": true
        case "off": false
        default: throw ServerConfigurationError("device-bound sessions must be on or off, not \"\(text)\"")
        }
    }

    private static func length(_ text: String) throws(ServerConfigurationError) -> Int {
        guard let count = UInt16(text), String(count) == text else {
            throw ServerConfigurationError("a length must be a whole number of characters, such as 15, not \"\(text)\"")
        }
        return Int(count)
    }
}

extension SettingsReader {
    /// The path of the database.
    fileprivate func database() async throws -> String { try await string(.database) ?? ServeSettings.usualDatabase }

    /// The path of a database in a file.
    ///
    /// - Throws: ``SettingsError`` if the settings name the database in memory.
    func databaseFile() async throws -> String {
        let path = try await database()
        guard path != ServeSettings.memory else {
            throw SettingsError("--database: a database in memory has no file; give the path of a database")
        }
        return path
    }
}
