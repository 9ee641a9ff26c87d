import ArgumentParser
import Configuration
import WardServer

/// The options for webhooks.
struct WebhookOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Tell this address what happens to accounts, with signed webhooks: https://, or http:// on this machine (default: \
            tell nobody).
            """,
            valueName: "address"
        )
    )
    var webhook: String?

    @Option(
        help: ArgumentHelp(
            "A file with the secrets that sign webhooks, one a line, from ward-server webhooks secret. --webhook needs it.",
            valueName: "path"
        )
    )
    var webhookSecrets: String?

    @Option(
        help: ArgumentHelp(
            """
            An event that is sent, such as passkey_added; can be repeated (default: all but sign-ins of known browsers and \
            sign-outs).
            """,
            valueName: "event"
        )
    )
    var webhookEvent: [String] = []

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[Setting.webhook.absoluteKey] = webhook.map { ConfigValue(.string($0), isSecret: false) }
        values[Setting.webhookSecrets.absoluteKey] = webhookSecrets.map { ConfigValue(.string($0), isSecret: false) }
        if !webhookEvent.isEmpty {
            values[Setting.webhookEvent.absoluteKey] = ConfigValue(.stringArray(webhookEvent), isSecret: false)
        }
        return values
    }
}

extension WebhookSettings {
    /// Reads the settings for webhooks; `nil` if the service sends none.
    ///
    /// - Throws: ``SettingsError`` if one needs another one.
    init?(_ reader: SettingsReader) async throws {
        let (address, secrets) = (try await reader.string(.webhook), try await reader.string(.webhookSecrets))
        let events = try await reader.strings(.webhookEvent)
        guard let address else {
            for (setting, isGiven) in [(Setting.webhookSecrets, secrets != nil), (.webhookEvent, events != nil)]
            where isGiven {
                throw SettingsError("--\(setting.rawValue) needs --webhook, the address that webhooks are sent to")
            }
            return nil
        }
        guard let secrets else {
            throw SettingsError(
                "--webhook needs --webhook-secrets, a file with a line of ward-server webhooks secret"
            )
        }
        self.init(address: address, secretsFile: secrets, events: events)
    }
}
