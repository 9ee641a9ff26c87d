package import Logging
package import WardAccounts
package import WardMail
package import WardWebAuthn

/// Sends the messages that wait, one after the other.
///
/// A message is deleted from the store only after it was sent. So if the process ends in between, the message is sent again,
/// with the same `Message-ID`.
package struct MailSender<Store: AccountStore>: OutboxSender {
    /// How long a message belongs to the process that is sending it, in seconds: longer than a conversation with a server lasts.
    package static var lease: Int64 { 180 }
    /// One after the other: mail servers count connections.
    package static var width: Int { 1 }

    private let store: Store
    private let channel: MessageAddress.Channel
    private let post: @Sendable (OutboxMail, MailSecret?) async throws(MailFailure) -> Void
    private let effects: Effects
    private let recoveryWait: Int64
    package let interval: Duration
    package let report: OutboxReport

    /// - Parameters:
    ///   - store: Where the messages wait.
    ///   - transport: The way on which they leave.
    ///   - texts: Their texts.
    ///   - sender: Who sends them.
    ///   - effects: Clock and randomness.
    ///   - recoveryWait: How long a recovery waits after its notice has left, in seconds.
    ///   - metrics: Counts messages.
    ///   - interval: How often the store is asked while no message is due.
    ///   - logger: Logs what was sent and what was not, without addresses.
    package init(
        _ store: Store,
        _ transport: any MailTransport,
        _ texts: MailTexts,
        from sender: MailMessage.Sender,
        effects: Effects,
        recoveryWait: Int64,
        metrics: ServiceMetrics?,
        every interval: Duration = .milliseconds(500),
        logger: Logger
    ) {
        self.init(
            store,
            .mail,
            effects: effects,
            recoveryWait: recoveryWait,
            every: interval,
            OutboxReport(.mail, metrics, logger)
        ) { (mail, secret) async throws(MailFailure) in
            guard let address = mail.address.email else { throw MailFailure(isPermanent: true, "no e-mail address") }
            try await transport.send(texts.message(mail, secret, to: address, from: sender))
        }
    }

    /// Sends the messages of one way.
    ///
    /// - Parameters:
    ///   - store: Where the messages wait.
    ///   - channel: The way.
    ///   - effects: Clock and randomness.
    ///   - recoveryWait: How long a recovery waits after its notice has left, in seconds.
    ///   - interval: How often the store is asked while no message is due.
    ///   - report: Counts messages, and logs what was sent and what was not.
    ///   - post: Sends one message once.
    init(
        _ store: Store,
        _ channel: MessageAddress.Channel,
        effects: Effects,
        recoveryWait: Int64,
        every interval: Duration,
        _ report: OutboxReport,
        post: @escaping @Sendable (OutboxMail, MailSecret?) async throws(MailFailure) -> Void
    ) {
        self.store = store
        self.channel = channel
        self.effects = effects
        self.recoveryWait = recoveryWait
        self.interval = interval
        self.report = report
        self.post = post
    }

    package func next() async throws -> OutboxTurn<Taken> {
        let now = effects.now()
        let isDue = try await store.read { try await $0.dueMail(by: channel, at: now) != nil }
        try await report.waiting { try await store.read { try await $0.mailCount(by: channel) } }
        guard isDue else { return .idle }
        return try await take(at: now).map { .row($0) } ?? .settled
    }

    /// A message that belongs to this process for a while.
    package struct Taken: Sendable {
        fileprivate let mail: OutboxMail
        fileprivate let secret: MailSecret?
    }

    /// Takes the message that is due, and makes its link or code.
    ///
    /// - Returns: `nil` if another process took it, or if it has become pointless.
    private func take(at now: Int64) async throws -> Taken? {
        let (taken, lost) = try await store.write { tx -> (Taken?, OutboxMail?) in
            guard var mail = try await tx.dueMail(by: channel, at: now) else { return (nil, nil) }
            guard now - mail.createdAt < OutboxTries.longestWait else {
                try await tx.deleteMail(id: mail.id)
                return (nil, mail)
            }
            guard let end = try await end(of: mail, at: now, in: tx) else {
                try await tx.deleteMail(id: mail.id)
                return (nil, nil)
            }
            mail.attempts += 1
            try await tx.postponeMail(id: mail.id, attempts: mail.attempts, until: now + Self.lease)
            guard let purpose = mail.purpose else { return (Taken(mail: mail, secret: nil), nil) }
            let secret = try await MailSecret(
                for: purpose,
                of: mail.accountID,
                randomBytes: effects.randomBytes,
                in: tx
            )
            guard purpose != .recovery else {
                try await tx.setRecoveryLink(
                    RecoveryLink(
                        accountID: mail.accountID,
                        source: .mail,
                        tokenHash: secret.hash,
                        createdAt: now,
                        expiresAt: end,
                        needsProof: true
                    )
                )
                return (Taken(mail: mail, secret: secret), nil)
            }
            try await tx.insert(
                MailLink(
                    tokenHash: secret.hash,
                    accountID: mail.accountID,
                    purpose: purpose,
                    address: mail.address,
                    createdAt: now,
                    expiresAt: end
                )
            )
            return (Taken(mail: mail, secret: secret), nil)
        }
        if let lost { report.failed(lost.kind.rawValue, "it waited for three days") }
        return taken
    }

    /// When the link of a message expires, or `nil` if the message has become pointless.
    private func end(of mail: OutboxMail, at now: Int64, in tx: Store.Transaction) async throws -> Int64? {
        switch mail.purpose {
        // A text message without a code is about what has just happened.
        case nil: return now
        case .textCode:
            let end = mail.createdAt + MailLink.codeLifetime
            // The number may have been changed, or the wait may have been too long.
            guard now < end, let number = mail.address.phone,
                try await tx.hasTextNumber(number, of: mail.accountID, isConfirmed: mail.kind == .signInCode)
            else { return nil }
            return end
        case .alarm: return try await tx.account(id: mail.accountID) == nil ? nil : now + MailLink.alarmLifetime
        case .confirmation:
            let email = try await tx.email(of: mail.accountID)
            guard let pending = email?.pending, let address = mail.address.email,
                email?.pending(at: now) == address
            else { return nil }
            return pending.time + AccountEmail.confirmationTime
        case .recovery:
            let links = try await tx.recoveryLinks(of: mail.accountID)
            // One that waits is not replaced, and a link that comes hours later surprises its owner.
            guard try await isConfirmed(mail, in: tx),
                now - mail.createdAt < RecoveryLink.lifetime,
                !links.contains(where: { $0.source == .mail && $0.wait != .none && !$0.isExpired(at: now) })
            else { return nil }
            return now + RecoveryLink.lifetime
        case .signInCode:
            let end = mail.createdAt + MailLink.codeLifetime
            // The address may have been changed, or the wait may have been too long.
            guard now < end, try await isConfirmed(mail, in: tx) else { return nil }
            return end
        }
    }

    /// Whether a message goes to the account's confirmed e-mail address.
    private func isConfirmed(_ mail: OutboxMail, in tx: Store.Transaction) async throws -> Bool {
        guard let address = mail.address.email else { return false }
        return try await tx.email(of: mail.accountID)?.confirmed?.address == address
    }

    package func send(_ taken: Taken) async throws {
        let mail = taken.mail
        do throws(MailFailure) {
            try await post(mail, taken.secret)
        } catch {
            return try await handle(error, taken)
        }
        let now = effects.now()
        try await store.write { tx in
            try await tx.deleteMail(id: mail.id)
            if mail.kind == .recoveryWaiting, channel == .mail {
                try await beginWait(of: mail.accountID, at: now, in: tx)
            }
            if mail.kind == .helpersAsked, channel == .mail { try await noteNotice(mail, at: now, in: tx) }
        }
        report.sent(mail.kind.rawValue)
    }

    /// Begins the waits of recoveries whose notice has left.
    private func beginWait(of account: AccountID, at now: Int64, in tx: Store.Transaction) async throws {
        for var link in try await tx.recoveryLinks(of: account) where link.wait == .afterNotice {
            link.wait = .until(now + recoveryWait)
            link.expiresAt = now + recoveryWait + RecoveryLink.lifetimeAfterWait
            try await tx.setRecoveryLink(link)
        }
    }

    /// Lets the helpers approve: the notice of their request has left.
    ///
    /// A notice of an earlier request says nothing about a later one.
    private func noteNotice(_ mail: OutboxMail, at now: Int64, in tx: Store.Transaction) async throws {
        guard var request = try await tx.helpRequest(of: mail.accountID), request.toldAt == nil,
            request.createdAt <= mail.createdAt
        else { return }
        request.toldAt = now
        try await tx.setHelpRequest(request)
    }

    private func handle(_ failure: MailFailure, _ taken: Taken) async throws {
        let mail = taken.mail
        let pause = OutboxTries.pause(after: mail.attempts)
        let next = effects.now() + pause
        try await store.write { tx in
            // The message did not leave, so nobody has this link or code.
            if let secret = taken.secret { try await tx.deleteMailLink(tokenHash: secret.hash) }
            if failure.isPermanent {
                try await tx.deleteMail(id: mail.id)
            } else {
                try await tx.postponeMail(id: mail.id, attempts: mail.attempts, until: next)
            }
        }
        guard !failure.isPermanent else { return report.failed(mail.kind.rawValue, failure.description) }
        report.postponed(mail.kind.rawValue, failure.description, attempts: mail.attempts, pause: pause)
    }
}
