import ArgumentParser
import Configuration
import WardServer

/// The options for webhooks.
struct WebhookOptions: ParsableArguments {
    @Option(help: .webhook) var webhook: String?
    @Option(help: .webhookSecrets) var webhookSecrets: String?
    @Option(help: .webhookEvent) var webhookEvent: [String] = []

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values.set(.webhook, webhook)
        values.set(.webhookSecrets, webhookSecrets)
        values.set(.webhookEvent, webhookEvent)
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
