import WardServer

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
