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
        let setting = "--webhook-secrets"
        guard let secrets = WebhookSecrets(try SecretFile.read(settings.secretsFile, of: setting)) else {
            throw ServerConfigurationError(
                "\(setting): \(settings.secretsFile) must have 1 to 8 lines that begin with whsec_. "
                    + "To print a new line: ward-server webhooks secret"
            )
        }
        return WebhookDelivery(to: settings.address, secrets)
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
