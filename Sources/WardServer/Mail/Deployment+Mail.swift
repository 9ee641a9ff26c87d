import WardAccounts
import WardWebAuthn

extension Deployment {
    /// The number of waiting messages from which on no new address is checked.
    ///
    /// Strangers can cause only these messages. What happens to accounts is still told.
    static var mostWaitingMail: Int { 1_000 }

    /// Tells the owner of an account what happened to it, if the service sends mail and the account has an address.
    ///
    /// The message is stored in the transaction of the change.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - account: The account.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    func tell(_ kind: OutboxMail.Kind, _ account: Account, at now: Int64, in tx: some AccountTransaction) async throws {
        guard sendsMail, let email = try await tx.email(of: account.id), let confirmed = email.confirmed else { return }
        // Sign-ins have a limit of their own, so that a thief cannot use up the limit of other messages with them.
        let isSignIn = kind == .newDevice
        let limit = isSignIn ? tryLimits.signInMail : tryLimits.mail
        let counter = Counter(isSignIn ? .signInMail : .mail, of: account.id.bytes, limit)
        guard try await counter.wait(at: now, in: tx) == nil else { return }
        try await counter.add(at: now, in: tx)
        try await post(kind, account, to: .email(confirmed.address), in: email.language, at: now, in: tx)
    }

    /// Stores a message until it is sent.
    func post(
        _ kind: OutboxMail.Kind,
        _ account: Account,
        to address: MessageAddress,
        in language: String,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws {
        try await tx.insert(
            OutboxMail(
                kind,
                about: account,
                to: address,
                in: language,
                at: now,
                id: effects.randomBytes(OutboxMail.idLength)
            )
        )
    }
}
