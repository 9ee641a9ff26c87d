package import WardAccounts
package import WardWebAuthn

/// What the people who run the service do, with a command, over the admin API or at the admin page: each action writes its row of the audit log.
package struct OperatorActions: Sendable {
    let now: Int64
    let effects: Effects
    private let token: AdminToken?
    /// The account of the person at the admin page; `nil` for a command or a program.
    let administrator: AccountID?

    /// - Parameters:
    ///   - effects: Clock and randomness.
    ///   - token: The token of the program that asks; `nil` for a command or a person.
    ///   - administrator: The account of the person at the admin page; `nil` for a command or a program.
    package init(effects: Effects, token: AdminToken? = nil, administrator: AccountID? = nil) {
        self.effects = effects
        self.token = token
        self.administrator = administrator
        now = effects.now()
    }

    // MARK: Accounts

    /// Keeps everybody out of an account until it is enabled.
    package func disable(_ account: AccountID, in tx: some AccountTransaction) async throws {
        try await tx.disableAccount(id: account, at: now)
        try await note(.accountDisabled, of: account, in: tx)
    }

    /// Lets a disabled account sign in again.
    package func enable(_ account: AccountID, in tx: some AccountTransaction) async throws {
        try await tx.setAccount(id: account, disabledAt: nil)
        try await note(.accountEnabled, of: account, in: tx)
    }

    /// Deletes an account with its passkeys, password and sessions.
    package func delete(_ account: AccountID, in tx: some AccountTransaction) async throws {
        try await tx.deleteAccount(id: account)
        try await note(.accountDeleted, of: account, in: tx)
    }

    /// Ends all sessions of an account, and returns their number.
    package func endSessions(of account: AccountID, in tx: some AccountTransaction) async throws -> Int {
        try await note(.sessionsEnded, of: account, in: tx)
        return try await tx.endSessions(of: account)
    }

    /// Ends a session, and returns whether the account has it.
    package func endSession(
        _ id: SessionID,
        of account: AccountID,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        guard try await tx.deleteSession(id: id, of: account) else { return false }
        try await note(.sessionsEnded, of: account, in: tx)
        return true
    }

    /// Deletes a passkey of an account, and tells the owner.
    ///
    /// - Parameters:
    ///   - id: The credential ID.
    ///   - account: The account.
    ///   - acceptsPasswords: Whether a password can sign in.
    ///   - tx: The transaction, which must be rolled back if this throws.
    /// - Returns: Whether the account has the passkey.
    /// - Throws: ``APIError`` with `last_passkey` if nothing else signs in to the account; the store's errors.
    func deletePasskey(
        _ id: CredentialID,
        of account: AccountID,
        acceptsPasswords: Bool,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        guard try await tx.deletePasskey(credentialID: id, of: account) else { return false }
        var opens = try await tx.hasOpeningPasskey(account)
        if !opens, acceptsPasswords { opens = try await tx.password(of: account) != nil }
        guard opens else {
            throw APIError(
                .lastPasskey,
                "This is the account's only passkey, and the account has no password. Disable the account, or make a recovery link."
            )
        }
        let details = AuditDetails(token: token?.id, administrator: administrator)
        try await tx.append(
            AuditEvent(.passkeyDeleted, at: now, by: .operator, of: account, credential: id, details: details)
        )
        try await tell(.passkeyDeleted, account, in: tx)
        return true
    }

    /// Sets or removes the e-mail address of an account.
    ///
    /// The address counts as confirmed: the people who run the service know whose it is. The address from before gets a message
    /// that says so, which leaves when the service sends mail.
    ///
    /// - Parameters:
    ///   - address: The address; `nil` removes the account's addresses, also one that waits to be confirmed.
    ///   - account: The account.
    ///   - tx: The transaction.
    /// - Returns: Whether something changed.
    /// - Throws: The store's errors.
    package func setEmail(
        _ address: EmailAddress?,
        of account: Account,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        let email = try await tx.email(of: account.id)
        let language = email?.language ?? PageLanguage.english.rawValue
        guard email?.confirmed?.address != address || email?.pending != nil else { return false }
        if let old = email?.confirmed?.address, old != address {
            let id = effects.randomBytes(OutboxMail.idLength)
            try await tx.insert(
                OutboxMail(.addressChanged, about: account, to: .email(old), in: language, at: now, id: id)
            )
        }
        let confirmed = address.map { AccountEmail.Entry($0, at: now) }
        try await tx.setEmail(AccountEmail(accountID: account.id, confirmed: confirmed, language: language))
        try await tx.deleteMailLinks(of: account.id, .confirmation)
        try await note(address == nil ? .emailRemoved : .emailConfirmed, of: account.id, in: tx)
        return true
    }

    /// Sets the groups of an account.
    ///
    /// Apps see the change with the next request: sessions go on.
    ///
    /// - Parameters:
    ///   - groups: The groups; at most ``GroupName/maximumCount``.
    ///   - account: The account.
    ///   - tx: The transaction.
    /// - Returns: Whether something changed.
    /// - Throws: The store's errors.
    package func setGroups(
        _ groups: Set<GroupName>,
        of account: Account,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        let sorted = groups.sorted()
        guard sorted != account.groups else { return false }
        try await tx.setAccount(id: account.id, groups: sorted)
        let details = AuditDetails(token: token?.id, groups: sorted, administrator: administrator)
        try await tx.append(AuditEvent(.groupsChanged, at: now, by: .operator, of: account.id, details: details))
        return true
    }

    // MARK: Links

    /// Makes a link that adds one passkey to an account, and replaces an earlier one.
    ///
    /// The owner gets a message.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - needsProof: Whether the person must prove something else beside the link, or wait.
    ///   - tx: The transaction.
    /// - Returns: The link's token, and when it ends.
    /// - Throws: The store's errors.
    package func makeRecoveryLink(
        for account: AccountID,
        needsProof: Bool,
        in tx: some AccountTransaction
    ) async throws -> (token: LinkToken, expiresAt: Int64) {
        let token = LinkToken.random(using: effects.randomBytes)
        let end = now + RecoveryLink.lifetime
        try await tx.setRecoveryLink(
            RecoveryLink(
                accountID: account,
                tokenHash: token.hash,
                createdAt: now,
                expiresAt: end,
                needsProof: needsProof
            )
        )
        try await note(.recoveryLinkMade, of: account, in: tx)
        try await tell(.operatorLink, account, in: tx)
        return (token, end)
    }

    /// How long an invitation can last, in seconds.
    package static let invitationLifetimes: ClosedRange<Int64> = 60...(90 * 86_400)

    /// Makes a link that creates one account.
    ///
    /// - Parameters:
    ///   - seconds: How long the link works, one of ``invitationLifetimes``.
    ///   - tx: The transaction.
    /// - Returns: The link's token, and when it ends.
    /// - Throws: The store's errors.
    package func makeInvitation(
        lasting seconds: Int64,
        in tx: some AccountTransaction
    ) async throws -> (token: LinkToken, expiresAt: Int64) {
        let token = LinkToken.random(using: effects.randomBytes)
        try await tx.insert(Invitation(tokenHash: token.hash, createdAt: now, expiresAt: now + seconds))
        try await note(.invitationMade, of: nil, in: tx)
        return (token, now + seconds)
    }

    /// Revokes an invitation, and returns whether there was one.
    package func revokeInvitation(tokenHash: [UInt8], in tx: some AccountTransaction) async throws -> Bool {
        guard try await tx.deleteInvitation(tokenHash: tokenHash) else { return false }
        try await note(.invitationRevoked, of: nil, in: tx)
        return true
    }

    // MARK: Tokens of the admin API

    /// How long a token can last, in seconds.
    package static let tokenLifetimes: ClosedRange<Int64> = 60...(3_650 * 86_400)

    /// Makes a token of the admin API.
    ///
    /// - Parameters:
    ///   - name: What people call it.
    ///   - scopes: What it allows.
    ///   - seconds: How long it works, one of ``tokenLifetimes``.
    ///   - tx: The transaction.
    /// - Returns: The secret, which the store does not have, and the record.
    /// - Throws: The store's errors.
    package func makeToken(
        named name: String,
        _ scopes: Set<AdminToken.Scope>,
        lasting seconds: Int64,
        in tx: some AccountTransaction
    ) async throws -> (secret: LinkToken, record: AdminToken) {
        let secret = LinkToken.random(using: effects.randomBytes)
        let record = AdminToken(
            tokenHash: secret.hash,
            name: name,
            scopes: scopes,
            createdAt: now,
            expiresAt: now + seconds
        )
        try await tx.insert(record)
        let details = AuditDetails(token: record.id)
        try await tx.append(AuditEvent(.adminTokenMade, at: now, by: .operator, of: nil, details: details))
        return (secret, record)
    }

    /// Revokes a token of the admin API.
    package func revoke(_ token: AdminToken, in tx: some AccountTransaction) async throws {
        try await tx.deleteAdminToken(tokenHash: token.tokenHash)
        let details = AuditDetails(token: token.id)
        try await tx.append(AuditEvent(.adminTokenRevoked, at: now, by: .operator, of: nil, details: details))
    }

    func note(_ what: AuditEvent.Kind, of account: AccountID?, in tx: some AccountTransaction) async throws {
        let details = AuditDetails(token: token?.id, administrator: administrator)
        try await tx.append(AuditEvent(what, at: now, by: .operator, of: account, details: details))
    }

    /// Tells the owner of an account what happened to it, if the account has an address.
    ///
    /// The message leaves when the service sends mail.
    private func tell(_ kind: OutboxMail.Kind, _ id: AccountID, in tx: some AccountTransaction) async throws {
        guard let account = try await tx.account(id: id), let email = try await tx.email(of: id),
            let confirmed = email.confirmed
        else { return }
        let fresh = effects.randomBytes(OutboxMail.idLength)
        try await tx.insert(
            OutboxMail(kind, about: account, to: .email(confirmed.address), in: email.language, at: now, id: fresh)
        )
    }
}
