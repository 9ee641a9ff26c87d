import WardDownload
import WardText
package import WardWebAuthn

/// A webhook as it leaves.
package struct SignedWebhook: Hashable, Sendable {
    /// The value of `webhook-id`.
    package let id: String
    /// The value of `webhook-timestamp`, in seconds since 1970.
    package let time: Int64
    /// The value of `webhook-signature`.
    package let signatures: String
    /// The body.
    package let body: String
}

/// Why a webhook was not delivered.
package struct WebhookFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason for a log, without the receiver's address and without text of the receiver.
    package let description: String
    /// For how many seconds the receiver wants no webhooks, if it says that.
    package var pause: Int64?
    /// Whether the receiver wants no webhooks any more.
    package var isGone = false

    package init(_ description: String) { self.description = description }
}

/// Signs webhooks and sends them to their receiver.
package struct WebhookDelivery: Sendable {
    /// The longest time for one webhook, in seconds.
    package static let timeout: Int64 = 15

    private let secrets: WebhookSecrets
    private let post: @Sendable (SignedWebhook) async throws(WebhookFailure) -> Void

    /// Sends over HTTP.
    ///
    /// - Parameters:
    ///   - address: The receiver's address.
    ///   - secrets: The secrets to sign with.
    init(to address: String, _ secrets: WebhookSecrets) {
        self.init(secrets) { (webhook) async throws(WebhookFailure) in try await Self.post(webhook, to: address) }
    }

    package init(
        _ secrets: WebhookSecrets,
        post: @escaping @Sendable (SignedWebhook) async throws(WebhookFailure) -> Void
    ) {
        self.secrets = secrets
        self.post = post
    }

    /// Sends a webhook once.
    ///
    /// - Parameters:
    ///   - id: The webhook's ID.
    ///   - body: The body.
    ///   - now: Seconds since 1970.
    /// - Throws: ``WebhookFailure`` unless the receiver answered with a status from 200 to 299.
    package func send(id: String, _ body: String, at now: Int64) async throws(WebhookFailure) {
        let signatures = secrets.signatures(id: id, at: now, over: body)
        try await post(SignedWebhook(id: id, time: now, signatures: signatures, body: body))
    }

    private static func post(_ webhook: SignedWebhook, to address: String) async throws(WebhookFailure) {
        var download = BoundedDownload(maximumSize: 16 * 1_024, timeout: .seconds(timeout))
        download.accept = "*/*"
        download.isAccepted = { _ in true }
        download.keepsBody = false
        download.headers = [
            "user-agent": "ward-server", "webhook-id": webhook.id, "webhook-timestamp": "\(webhook.time)",
            "webhook-signature": webhook.signatures,
        ]
        let answer: BoundedDownload.Answer
        do {
            answer = try await download.answer(at: address, sending: .init(json: webhook.body))
        } catch BoundedDownload.Failure.tooSlow {
            throw WebhookFailure("the receiver did not answer within \(timeout) seconds")
        } catch BoundedDownload.Failure.redirect {
            throw WebhookFailure("the receiver redirects, and webhooks follow no redirects")
        } catch {
            throw WebhookFailure("the receiver cannot be reached, or its certificate is not trusted")
        }
        guard (200..<300).contains(answer.status) else {
            var failure = WebhookFailure("the receiver answered \(answer.status)")
            failure.pause = answer.retryAfter.flatMap { RetryAfter.seconds($0, at: webhook.time) }
            failure.isGone = answer.status == 410
            throw failure
        }
    }
}

extension WebhookDelivery {
    /// Sends a webhook of the type `test`.
    package func sendSample(_ effects: Effects) async throws(WebhookFailure) {
        let now = effects.now()
        let body: JSONValue = [
            "type": "test", "timestamp": .string(JSONTime.text(now)), "data": .object([]),
        ]
        try await send(id: "test_" + Hex.encode(effects.randomBytes(16)), body.text, at: now)
    }
}
