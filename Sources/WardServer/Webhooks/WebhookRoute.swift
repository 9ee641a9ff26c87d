import WardAccounts

/// Settings for webhooks that can be used.
package struct WebhookRoute: Sendable {
    private let settings: WebhookSettings
    /// The events that are sent; `nil` for the default.
    private let kinds: Set<AuditEvent.Kind>?

    /// Reads the settings.
    ///
    /// No file is opened.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: ``ServerConfigurationError`` that says which setting is wrong. It has no part of the address, which may have a
    ///   secret.
    package init(_ settings: WebhookSettings) throws(ServerConfigurationError) {
        self.settings = settings
        if let problem = WebAddress.problem(settings.address) {
            throw ServerConfigurationError("--webhook: the address cannot be used: \(problem)")
        }
        let known = AuditEvent.Kind.known
        for event in settings.events ?? [] where !known.contains(.init(rawValue: event)) {
            throw ServerConfigurationError(
                "--webhook-event: \"\(event.prefix(64))\" is not an event; the events are "
                    + known.map(\.rawValue).joined(separator: ", ")
            )
        }
        kinds = settings.events.map { Set($0.map { AuditEvent.Kind(rawValue: $0) }) }
    }

    /// Whether a webhook is made for an event.
    func sends(_ event: AuditEvent) -> Bool {
        if let kinds { return kinds.contains(event.kind) }
        switch event.kind {
        case .signedIn: return event.details.isNewDevice
        case .signedOut, .sessionBound, .clientSignedIn: return false
        default: return true
        }
    }

    /// Reads the secrets.
    ///
    /// - Returns: The way on which webhooks leave.
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be used.
    package func delivery() throws(ServerConfigurationError) -> WebhookDelivery {
        try WebhookDelivery(to: settings.address, secretsIn: settings.secretsFile, of: "--webhook-secrets")
    }
}

extension WebhookDelivery {
    /// Reads the secrets from a file.
    ///
    /// - Parameters:
    ///   - address: The receiver's address.
    ///   - file: The path of the file.
    ///   - setting: The setting that names the file.
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be used.
    init(to address: String, secretsIn file: String, of setting: String) throws(ServerConfigurationError) {
        guard let secrets = WebhookSecrets(try SecretFile.read(file, of: setting)) else {
            throw ServerConfigurationError(
                "\(setting): \(file) must have 1 to 8 lines that begin with whsec_. "
                    + "To print a new line: ward-server webhooks secret"
            )
        }
        self.init(to: address, secrets)
    }
}

extension ServerConfiguration {
    /// What is wrong with the file that the settings for webhooks name, or `nil` if nothing is.
    package var webhookProblem: String? {
        guard let webhooks else { return nil }
        do {
            _ = try WebhookRoute(webhooks).delivery()
            return nil
        } catch {
            return error.description
        }
    }
}
