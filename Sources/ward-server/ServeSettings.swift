import Configuration
import Logging
import WardServer

/// What a service is started with, from flags, then the environment, then the file, then the defaults.
struct ServeSettings {
    var server: ServerConfiguration
    var database: String
    var logLevel: Logger.Level

    /// The name of a database that is never written to a file.
    static let memory = ":memory:"

    /// - Throws: ``SettingsError`` naming the setting that cannot be used.
    init(_ options: ServeOptions) async throws {
        let arguments = InMemoryProvider(name: "arguments", values: options.values)
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "ward")
        var providers: [any ConfigProvider] = [arguments, environment]
        let path = try await Self.string(.config, ConfigReader(providers: providers))
        if let path { providers.append(try await Self.file(path)) }
        let reader = ConfigReader(providers: providers)

        let rpID = try await Self.string(.rpID, reader) ?? "localhost"
        let listen = try await Self.parsed(.listen, reader) { try ListenAddress($0) } ?? .standard
        var server = ServerConfiguration(rpID: rpID, origins: try await Self.strings(.origin, reader), listen: listen)
        server.relatedOrigins = try await Self.strings(.relatedOrigin, reader) ?? []
        server.apps = try await Self.strings(.app, reader) ?? []
        if let name = try await Self.string(.rpName, reader) { server.rpName = name }
        if let idle = try await Self.parsed(.sessionIdle, reader, { try Duration(settingText: $0) }) {
            server.sessionIdle = idle
        }
        if let absolute = try await Self.parsed(.sessionAbsolute, reader, { try Duration(settingText: $0) }) {
            server.sessionAbsolute = absolute
        } else {
            server.sessionAbsolute = max(server.sessionAbsolute, server.sessionIdle)
        }
        server.acceptsPasswords = try await !Self.reading(.passkeysOnly) { key in
            try await reader.fetchBool(forKey: key, default: false)
        }
        if let memory = try await Self.parsed(.passwordMemory, reader, { try PasswordEffort.memory(settingText: $0) }) {
            server.passwordEffort.memory = memory
        }
        if let passes = try await Self.parsed(.passwordPasses, reader, { try PasswordEffort.passes(settingText: $0) }) {
            server.passwordEffort.passes = passes
        }
        server.servesFIDOConformance = try await Self.reading(.fidoConformance) { key in
            try await reader.fetchBool(forKey: key, default: false)
        }
        database = try await Self.string(.database, reader) ?? "ward-data/ward.sqlite"
        server.storeIsInMemory = database == Self.memory
        self.server = server
        logLevel =
            try await Self.parsed(.logLevel, reader) { text in
                guard let level = Logger.Level(rawValue: text) else {
                    throw SettingsError(
                        "--log-level: \"\(text)\" is not a log level; use info or another one from --help"
                    )
                }
                return level
            } ?? .info
    }

    private static func strings(_ setting: Setting, _ reader: ConfigReader) async throws -> [String]? {
        try await reading(setting) { try await reader.fetchStringArray(forKey: $0) }
    }

    private static func string(_ setting: Setting, _ reader: ConfigReader) async throws -> String? {
        try await reading(setting) { try await reader.fetchString(forKey: $0) }
    }

    private static func parsed<Value>(
        _ setting: Setting,
        _ reader: ConfigReader,
        _ parse: (String) throws -> Value
    ) async throws -> Value? {
        guard let text = try await string(setting, reader) else { return nil }
        do {
            return try parse(text)
        } catch let error as ServerConfigurationError {
            throw SettingsError("--\(setting.rawValue): \(error)")
        }
    }

    private static func reading<Value>(_ setting: Setting, _ read: (ConfigKey) async throws -> Value) async throws
        -> Value
    {
        do {
            return try await read(setting.key)
        } catch {
            throw SettingsError("--\(setting.rawValue): the value has the wrong type; \(setting.expectation)")
        }
    }

    private static func file(_ path: String) async throws -> any ConfigProvider {
        let location = ConfigReader(
            provider: InMemoryProvider(values: ["filePath": ConfigValue(.string(path), isSecret: false)])
        )
        do {
            return try await FileProvider<JSONSnapshot>(config: location)
        } catch {
            throw SettingsError("--config: \(path) cannot be read as JSON with settings: \(error)")
        }
    }
}

/// A setting that cannot be used, and why.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Setting {
    fileprivate var expectation: String {
        switch self {
        case .origin, .relatedOrigin, .app: "a list of texts is expected"
        case .fidoConformance, .passkeysOnly: "true or false is expected"
        default: "a text is expected"
        }
    }
}
