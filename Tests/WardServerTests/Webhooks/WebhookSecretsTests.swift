import Testing
import WardServer
import WardText

@Suite struct `Secrets of webhooks` {
    /// The example of [Standard Webhooks](https://github.com/standard-webhooks/standard-webhooks), which its libraries test.
    @Test func `sign as the published example does`() throws {
        let secrets = try #require(WebhookSecrets(Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n".utf8)))
        let signature = secrets.signatures(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at: 1_614_265_330,
            over: #"{"test": 2432232314}"#
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect("\(secrets)" == "WebhookSecrets(hidden)")
    }

    @Test func `are lines of 24 to 64 bytes, and each one signs`() throws {
        let lines = [24, 32, 64].map { WebhookSecrets.line(Array(repeating: 1, count: $0)) }
        for separator in ["\n", "\r\n", "\n\n"] {
            let secrets = try #require(WebhookSecrets(Array(lines.joined(separator: separator).utf8)))
            let signatures = secrets.signatures(id: "a", at: 1, over: "b").split(separator: " ")
            #expect(
                signatures.count == 3 && Set(signatures).count == 3 && signatures.allSatisfy { $0.hasPrefix("v1,") }
            )
        }
    }

    @Test(
        arguments: [
            "", "\n", "whsec_", WebhookSecrets.line(Array(repeating: 1, count: 23)),
            WebhookSecrets.line(Array(repeating: 1, count: 65)), Base64.encode(Array(repeating: 1, count: 32)),
            WebhookSecrets.line(Array(repeating: 1, count: 32)) + "\nmore",
            WebhookSecrets.line(Array(repeating: 1, count: 32)) + " # a comment",
            String(repeating: WebhookSecrets.line(Array(repeating: 1, count: 32)) + "\n", count: 9),
        ]
    )
    func `anything else is no secret`(text: String) {
        #expect(WebhookSecrets(Array(text.utf8)) == nil)
    }
}
