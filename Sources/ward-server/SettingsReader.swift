import Configuration
import Foundation
import WardServer

/// Reads settings: first from the options, then from the environment, then from the file of `--config`.
struct SettingsReader {
    private let reader: ConfigReader

    /// - Parameter options: What was given as options.
    /// - Throws: ``SettingsError`` if the file cannot be read, or if the environment or the file has a setting that does not
    ///   exist.
    init(_ options: [AbsoluteConfigKey: ConfigValue]) async throws {
        try SettingNames.check(environment: ProcessInfo.processInfo.environment)
        let arguments = InMemoryProvider(name: "arguments", values: options)
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "ward")
        var providers: [any ConfigProvider] = [arguments, environment]
        let path = try await SettingsReader(reader: ConfigReader(providers: providers)).string(.config)
        if let path {
            try SettingNames.check(file: path)
            providers.append(try await Self.file(path))
        }
        reader = ConfigReader(providers: providers)
    }

    private init(reader: ConfigReader) { self.reader = reader }

    func string(_ setting: Setting) async throws -> String? {
        try await reading(setting) { try await reader.fetchString(forKey: $0) }
    }

    func strings(_ setting: Setting) async throws -> [String]? {
        try await reading(setting) { try await reader.fetchStringArray(forKey: $0) }
    }

    func flag(_ setting: Setting) async throws -> Bool {
        try await reading(setting) { try await reader.fetchBool(forKey: $0, default: false) }
    }

    func parsed<Value>(_ setting: Setting, _ parse: (String) throws -> Value) async throws -> Value? {
        guard let text = try await string(setting) else { return nil }
        do {
            return try parse(text)
        } catch let error as ServerConfigurationError {
            throw SettingsError("--\(setting.rawValue): \(error)")
        }
    }

    private func reading<Value>(_ setting: Setting, _ read: (ConfigKey) async throws -> Value) async throws -> Value {
        do {
            return try await read(setting.key)
        } catch {
            throw SettingsError(
                "--\(setting.rawValue), as an option, in the environment or in the file of settings: the value has the wrong "
                    + "type; \(setting.expectation)"
            )
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

/// A setting with an invalid value, and the reason.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Setting {
    fileprivate var expectation: String {
        switch self {
        case .origin, .relatedOrigin, .app, .appOrigin, .corsOrigin, .reservedName, .trustedProxies, .webhookEvent,
            .textPrefix:
            "a list of texts is expected"
        case .fidoConformance, .passkeysOnly, .mixedScriptNames, .auditAddresses, .sync: "true or false is expected"
        default: "a text is expected"
        }
    }
}
