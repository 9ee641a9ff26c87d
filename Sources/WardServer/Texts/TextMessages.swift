import WardAccounts
import WardMail
import WardText
import WardWebAuthn

/// Writes text messages in the languages of the pages, and asks another program to send them.
///
/// A code stands last, in the form of [origin-bound one-time codes](https://wicg.github.io/sms-one-time-codes/): a telephone
/// then offers it only at the service's own pages.
struct TextMessages: Sendable {
    private let texts: [PageLanguage: PageText]
    private let host: String
    private let delivery: WebhookDelivery
    private let effects: Effects

    /// - Parameters:
    ///   - pages: The pages, which have the same texts.
    ///   - host: The host of the service's pages.
    ///   - delivery: The way to the program that sends the messages.
    ///   - effects: The clock.
    init(_ pages: PageRoutes, host: String, _ delivery: WebhookDelivery, effects: Effects) {
        texts = pages.texts
        self.host = host
        self.delivery = delivery
        self.effects = effects
    }

    /// Sends a message once.
    ///
    /// The ID of the request is the message's at every try, so that the receiver can leave out one that it has already.
    ///
    /// - Parameters:
    ///   - mail: The message.
    ///   - secret: Its code, if it has one.
    /// - Throws: `MailFailure` unless the receiver answered with a status from 200 to 299.
    func send(_ mail: OutboxMail, _ secret: MailSecret?) async throws(MailFailure) {
        guard let number = mail.address.phone else { throw MailFailure(isPermanent: true, "no telephone number") }
        let now = effects.now()
        let language = PageLanguage(chosen: mail.language) ?? .english
        let body: JSONValue = [
            "type": "text_message", "timestamp": .string(JSONTime.text(now)),
            "data": [
                "kind": .string(mail.kind.rawValue), "to": .string(number.text),
                "language": .string(language.rawValue), "text": .string(text(mail, secret, in: language)),
            ],
        ]
        do {
            // Each try has another code, so each is a message of its own.
            try await delivery.send(id: "txt_\(Hex.encode(mail.id))_\(mail.attempts)", body.text, at: now)
        } catch {
            throw MailFailure(isPermanent: error.isGone, error.description)
        }
    }

    /// The text of a message.
    private func text(_ mail: OutboxMail, _ secret: MailSecret?, in language: PageLanguage) -> String {
        let text = (texts[language]?["text", mail.kind.rawValue] ?? "")
            .replacing("{code}", with: secret?.code ?? "")
        guard let code = secret?.code else { return text }
        return "\(text)\n\n@\(host) #\(code)"
    }
}
