import Hummingbird
import WardAccounts
import WardWebAuthn

/// The API of the account's e-mail address, and of the links in messages.
struct EmailAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.put("/api/v1/account/email") { request, context in try await set(request, context) }
        router.delete("/api/v1/account/email") { try await remove($0, $1) }
        router.post("/api/v1/email/confirmation") { request, context in try await confirm(request, context) }
        router.post("/api/v1/email/alarm") { request, context in try await alarm(request, context) }
    }

    // MARK: The account's own address

    /// Takes a new address, which gets one message with a link.
    ///
    /// It is the account's when the link was used.
    private func set(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let fields = try JSONFields(await request.jsonBody())
        guard deployment.sendsMail else { throw APIError.mailDisabled }
        let address = try EmailAddress(of: fields)
        let language = PageLanguage.wanted(by: request).rawValue
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            var email = try await tx.email(of: account.id) ?? AccountEmail(accountID: account.id, language: language)
            // The links for an address that was given before end.
            try await tx.deleteMailLinks(of: account.id, .confirmation)
            guard email.confirmed?.address != address else {
                email.pending = nil
                return try await tx.setEmail(email)
            }
            try await deployment.checkMayCheck(address, of: account.id, at: now, in: tx)
            email.pending = .init(address, at: now)
            try await tx.setEmail(email)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.emailRequested, at: now, of: account.id, details: details))
            try await deployment.post(.addressCheck, account, to: .email(address), in: language, at: now, in: tx)
        }
        return Response(status: .noContent)
    }

    private func remove(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        guard deployment.sendsMail else { throw APIError.mailDisabled }
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            guard let email = try await tx.email(of: account.id) else {
                throw APIError(.notFound, "The account has no e-mail address.")
            }
            // The message goes to the address that the store still has.
            try await deployment.tell(.addressChanged, account, at: now, in: tx)
            try await tx.setEmail(AccountEmail(accountID: account.id, language: email.language))
            try await tx.deleteFactors(.mailCodes, of: account.id)
            try await tx.deleteMailLinks(of: account.id, .confirmation)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.emailRemoved, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }

    // MARK: Links

    /// Confirms the address that a message was sent to.
    ///
    /// It opens nothing else, so it needs no session.
    private func confirm(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (token, now) = (try await token(request), deployment.effects.now())
        let language = PageLanguage.wanted(by: request).rawValue
        try await deployment.store.write { tx in
            let (link, account) = try await tx.liveMailLink(token, .confirmation, at: now)
            guard var email = try await tx.email(of: account.id), let address = link.address.email,
                email.pending(at: now) == address
            else {
                throw APIError.mailLinkNotValid
            }
            // The message goes to the address that the store still has.
            try await deployment.tell(.addressChanged, account, at: now, in: tx)
            email.confirmed = .init(address, at: now)
            email.pending = nil
            email.language = language
            try await tx.setEmail(email)
            try await tx.deleteMailLinks(of: account.id, .confirmation)
            let details = deployment.auditDetails(nil, request, context)
            try await tx.append(
                AuditEvent(.emailConfirmed, at: now, of: account.id, method: .mailLink, details: details)
            )
        }
        return Response(status: .noContent)
    }

    /// Ends all sessions of the account, and forgets an address that waits to be confirmed: the owner did not do what a message
    /// told.
    private func alarm(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (token, now) = (try await token(request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (link, account) = try await tx.liveMailLink(token, .alarm, at: now)
            try await tx.deleteMailLink(tokenHash: link.tokenHash)
            try await tx.endSessions(of: account.id)
            try await deployment.stopRecoveries(of: account.id, at: now, in: tx)
            if var email = try await tx.email(of: account.id) {
                email.pending = nil
                try await tx.setEmail(email)
                try await tx.deleteMailLinks(of: account.id, .confirmation)
            }
            let details = deployment.auditDetails(nil, request, context)
            try await deployment.removeNewHelpers(of: account.id, details, at: now, in: tx)
            try await tx.append(
                AuditEvent(.sessionsEnded, at: now, of: account.id, method: .mailLink, details: details)
            )
        }
        return Response(status: .noContent)
    }

    private func token(_ request: Request) async throws -> LinkToken {
        _ = try deployment.origins.caller(of: request)
        let text = try JSONFields(await request.jsonBody()).string("token")
        guard let token = LinkToken(text: text) else { throw APIError.mailLinkNotValid }
        return token
    }
}

extension EmailAddress {
    /// The member `address` of a request.
    ///
    /// - Throws: ``APIError`` with `email_not_allowed`.
    init(of fields: JSONFields) throws(APIError) {
        let text = try fields.string("address")
        do {
            try self.init(text)
        } catch {
            throw APIError(.emailNotAllowed, error.description).at("address")
        }
    }
}

extension AccountTransaction {
    /// A link that still works, and its account.
    ///
    /// - Throws: ``APIError`` with `mail_link_not_valid`.
    fileprivate func liveMailLink(
        _ token: LinkToken,
        _ purpose: MailLink.Purpose,
        at now: Int64
    ) async throws -> (MailLink, Account) {
        guard let link = try await mailLink(tokenHash: token.hash), link.purpose == purpose, !link.isExpired(at: now),
            let account = try await account(id: link.accountID)
        else { throw APIError.mailLinkNotValid }
        return (link, account)
    }
}

extension Deployment {
    /// Checks that one more message may go to an address that nobody has confirmed, and counts it.
    ///
    /// The address may be a stranger's, so there is also a limit for the address itself.
    ///
    /// - Throws: ``APIError`` with `too_many_requests`.
    fileprivate func checkMayCheck(
        _ address: EmailAddress,
        of account: AccountID,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        guard try await tx.mailCount(by: .mail) < Self.mostWaitingMail else {
            throw APIError(limited: .addressCheck, 600)
        }
        let counters = [
            Counter(.addressCheck, of: account.bytes, tryLimits.addressChecks),
            Counter(.addressCheck, of: Array(address.text.lowercased().utf8), tryLimits.addressChecks),
        ]
        for counter in counters { try await counter.check(at: now, in: tx) }
        for counter in counters { try await counter.add(at: now, in: tx) }
    }
}

extension APIError {
    fileprivate static let mailDisabled = APIError(
        .mailDisabled,
        "This service sends no mail, so accounts have no e-mail address."
    )
    fileprivate static let mailLinkNotValid = APIError(
        .mailLinkNotValid,
        "This link was used already, was replaced by a newer one, or has expired."
    )
}
