import WardAccounts

/// Settings for text messages that can be used.
package struct TextRoute: Sendable {
    private let settings: TextSettings
    /// The limit on messages of all people together.
    let limit: AttemptLimit

    /// Reads the settings.
    ///
    /// No file is opened.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: ``ServerConfigurationError`` that says which setting is wrong. It has no part of the address, which may have a
    ///   secret.
    package init(_ settings: TextSettings) throws(ServerConfigurationError) {
        self.settings = settings
        if let problem = WebAddress.problem(settings.address) {
            throw ServerConfigurationError("--text-webhook: the address cannot be used: \(problem)")
        }
        for prefix in settings.prefixes {
            let digits = prefix.utf8.dropFirst()
            guard prefix.utf8.first == UInt8(ascii: "+"), (1...14).contains(digits.count),
                digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                throw ServerConfigurationError(
                    "--text-prefix: \"\(prefix.prefix(32))\" is not the beginning of a number such as +49"
                )
            }
        }
        guard (1...1_000_000).contains(settings.perDay) else {
            throw ServerConfigurationError("--text-limit must be 1 to 1000000, not \(settings.perDay)")
        }
        limit = .perDay(Int64(settings.perDay))
    }

    /// Whether messages may go to a number.
    func allows(_ number: PhoneNumber) -> Bool {
        settings.prefixes.isEmpty || settings.prefixes.contains { number.text.hasPrefix($0) }
    }

    /// Reads the secrets.
    ///
    /// - Returns: The way on which messages leave.
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be used.
    package func delivery() throws(ServerConfigurationError) -> WebhookDelivery {
        try WebhookDelivery(to: settings.address, secretsIn: settings.secretsFile, of: "--text-webhook-secrets")
    }
}

extension ServerConfiguration {
    /// What is wrong with the file that the settings for text messages name, or `nil` if nothing is.
    package var textProblem: String? {
        guard let texts else { return nil }
        do {
            _ = try TextRoute(texts).delivery()
            return nil
        } catch {
            return error.description
        }
    }
}
