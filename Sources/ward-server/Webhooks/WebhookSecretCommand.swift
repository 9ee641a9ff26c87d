import ArgumentParser
import WardServer
import WardWebAuthn

/// `ward-server webhooks secret`.
struct WebhookSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Print a new secret: a line for the file of --webhook-secrets.",
        discussion: """
            Append it to a file that only the service can read: (umask 077; ward-server webhooks secret >> FILE). Give the \
            receiver the same line. Each webhook is signed with every secret of the file. To replace a secret, add the new \
            one, restart the service, change the receiver, and then remove the old one.
            """
    )

    func run() throws {
        try answer(WebhookSecrets.line(Effects.live.randomBytes(WebhookSecrets.freshLength)))
    }
}
