import ArgumentParser
import WardServer
import WardWebAuthn

/// `ward-server webhooks test`.
struct WebhookTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send one webhook of the type \"test\" to the receiver.",
        discussion: """
            The settings are those of ward-server serve. The webhook is signed like every other, and tried once.

            Exit codes: 64 if the settings are not valid, 69 if the receiver did not answer with a status from 200 to 299.
            """
    )

    @OptionGroup var webhooks: WebhookOptions

    @Option(help: .config) var config: String?

    func run() async throws {
        try await reportingFailures {
            var values = webhooks.values
            values.set(.config, config)
            guard let settings = try await WebhookSettings(SettingsReader(values)) else {
                throw SettingsError("--webhook is missing: the address that webhooks are sent to")
            }
            let delivery = try WebhookRoute(settings).delivery()
            do {
                try await delivery.sendSample(Effects.live)
            } catch let error as WebhookFailure {
                throw failure("the webhook was not delivered: \(error)", .unavailable)
            }
            say("The receiver took the webhook.")
        }
    }
}
