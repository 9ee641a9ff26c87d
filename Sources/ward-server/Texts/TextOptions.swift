import ArgumentParser
import Configuration
import WardServer

/// The options for text messages.
struct TextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Ask the program at this address to send text messages with codes to telephones: https://, or http:// on this machine \
            (default: send none).
            """,
            valueName: "address"
        )
    )
    var textWebhook: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with the secrets that sign the requests of --text-webhook, one a line, from ward-server webhooks secret. \
            --text-webhook needs it.
            """,
            valueName: "path"
        )
    )
    var textWebhookSecrets: String?

    @Option(
        help: ArgumentHelp(
            "What a telephone number must begin with to get text messages, such as +49; can be repeated (default: any).",
            valueName: "digits"
        )
    )
    var textPrefix: [String] = []

    @Option(
        help: ArgumentHelp(
            "The largest number of text messages a day, 1 to 1000000 (default: 1000).",
            valueName: "number"
        )
    )
    var textLimit: String?

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[Setting.textWebhook.absoluteKey] = textWebhook.map { ConfigValue(.string($0), isSecret: false) }
        values[Setting.textWebhookSecrets.absoluteKey] = textWebhookSecrets.map {
            ConfigValue(.string($0), isSecret: false)
        }
        if !textPrefix.isEmpty {
            values[Setting.textPrefix.absoluteKey] = ConfigValue(.stringArray(textPrefix), isSecret: false)
        }
        values[Setting.textLimit.absoluteKey] = textLimit.map { ConfigValue(.string($0), isSecret: false) }
        return values
    }
}

extension TextSettings {
    /// Reads the settings for text messages; `nil` if the service sends none.
    ///
    /// - Throws: ``SettingsError`` if one needs another one.
    init?(_ reader: SettingsReader) async throws {
        let (address, secrets) = (try await reader.string(.textWebhook), try await reader.string(.textWebhookSecrets))
        let prefixes = try await reader.strings(.textPrefix)
        let limit = try await reader.parsed(.textLimit) { text in
            guard let number = Int(text) else { throw SettingsError("--text-limit: \"\(text)\" is not a number") }
            return number
        }
        guard let address else {
            let others: [(Setting, Bool)] = [
                (.textWebhookSecrets, secrets != nil), (.textPrefix, prefixes != nil), (.textLimit, limit != nil),
            ]
            for (setting, isGiven) in others where isGiven {
                throw SettingsError(
                    "--\(setting.rawValue) needs --text-webhook, the address of the program that sends text messages"
                )
            }
            return nil
        }
        guard let secrets else {
            throw SettingsError(
                "--text-webhook needs --text-webhook-secrets, a file with a line of ward-server webhooks secret"
            )
        }
        self.init(address: address, secretsFile: secrets, prefixes: prefixes ?? [])
        if let limit { perDay = limit }
    }
}
