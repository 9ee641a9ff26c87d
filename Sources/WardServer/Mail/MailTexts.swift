import WardAccounts
import WardMail

/// Writes messages, in the languages of the pages.
///
/// Each says what happened and when. It has no text that another person chose, except the user name, because a message with
/// the service's name on it must not carry a stranger's words.
package struct MailTexts: Sendable {
    private let texts: [PageLanguage: PageText]
    private let origin: String
    private let recoveryWait: Int64

    /// - Parameters:
    ///   - pages: The pages, which have the same texts.
    ///   - origin: The origin of the service's pages.
    ///   - recoveryWait: How long a recovery waits after its notice has left, in seconds.
    package init(_ pages: PageRoutes, origin: String, recoveryWait: Int64) {
        texts = pages.texts
        self.recoveryWait = recoveryWait
        self.origin = origin
    }

    /// A message as it is sent.
    ///
    /// - Parameters:
    ///   - mail: What it is about.
    ///   - secret: Its link's token or its code, if it has one.
    ///   - address: Where it goes.
    ///   - sender: Who sends it.
    /// - Returns: The message.
    func message(
        _ mail: OutboxMail,
        _ secret: MailSecret?,
        to address: EmailAddress,
        from sender: MailMessage.Sender
    ) -> MailMessage {
        let language = PageLanguage(chosen: mail.language) ?? .english
        func text(_ key: String) -> String {
            (texts[language]?["mail", key] ?? "")
                .replacing("{time}", with: Self.time(mail.createdAt)).replacing("{username}", with: mail.username)
                .replacing("{code}", with: secret?.code ?? "").replacing("{hours}", with: String(recoveryWait / 3_600))
        }
        var parts = [text("\(mail.kind.rawValue)_text")]
        // The first message goes to an address that may be a stranger's: it does not name the account.
        if mail.kind != .addressCheck { parts.append("\(text("account"))\n\(text("time"))") }
        if case .link(let token)? = secret {
            let link = mail.kind.serviceLink
            if link == .alarm { parts.append(text("notYou")) }
            parts.append(link.text(at: origin, token))
        }
        parts.append(text(mail.kind == .addressCheck ? "ignore" : "why"))
        return MailMessage(
            from: sender,
            to: address,
            subject: text("\(mail.kind.rawValue)_subject"),
            text: parts.joined(separator: "\n\n"),
            language: language.rawValue,
            time: mail.createdAt,
            id: mail.id
        )
    }

    /// A time that reads the same in every language: `2026-11-23 02:40 UTC`.
    private static func time(_ seconds: Int64) -> String {
        "\(JSONTime.text(seconds).replacing("T", with: " ").prefix(16)) UTC"
    }
}

extension OutboxMail {
    /// What the link or code in this message does, or `nil` if it has neither.
    var purpose: MailLink.Purpose? {
        guard address.channel == .text else { return kind.link }
        return kind == .signInCode || kind == .numberCheck ? .textCode : nil
    }
}

extension OutboxMail.Kind {
    /// The page that the link in a message of this kind opens.
    fileprivate var serviceLink: ServiceLink {
        switch self {
        case .addressCheck: .confirmation
        case .recoveryLink: .recovery
        default: .alarm
        }
    }

    /// What the link or code in an e-mail of this kind does, or `nil` if it has neither.
    fileprivate var link: MailLink.Purpose? {
        switch self {
        case .addressCheck: .confirmation
        case .accountDeleted, .helperWanted: nil
        case .signInCode: .signInCode
        case .recoveryLink: .recovery
        default: .alarm
        }
    }
}
