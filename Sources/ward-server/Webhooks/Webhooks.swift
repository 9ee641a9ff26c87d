import ArgumentParser

/// `ward-server webhooks`.
struct Webhooks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make secrets for webhooks, and try their receiver.",
        subcommands: [WebhookSecretCommand.self, WebhookTestCommand.self]
    )
}
