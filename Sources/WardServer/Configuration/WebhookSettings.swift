/// How the service tells another program what happens to accounts.
public struct WebhookSettings: Hashable, Sendable {
    /// The address that webhooks are sent to: `https://`, or `http://` on this machine.
    public var address: String
    /// The file with the secrets that webhooks are signed with, one a line.
    public var secretsFile: String
    /// The events that are sent; `nil` for all but sign-ins of known browsers, bound sessions and sign-outs.
    public var events: [String]?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - address: The address that webhooks are sent to.
    ///   - secretsFile: The file with the secrets.
    ///   - events: The events that are sent.
    public init(address: String, secretsFile: String, events: [String]? = nil) {
        self.address = address
        self.secretsFile = secretsFile
        self.events = events
    }
}
