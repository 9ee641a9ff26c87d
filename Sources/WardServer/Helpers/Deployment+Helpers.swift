import WardAccounts
import WardText

extension Deployment {
    /// The helpers of an account who can approve a recovery now.
    ///
    /// A helper whose account is disabled cannot.
    func activeHelpers(of owner: AccountID, at now: Int64, in tx: some AccountTransaction) async throws
        -> [RecoveryHelper]
    {
        guard usesRecoveryHelpers else { return [] }
        var active: [RecoveryHelper] = []
        for helper in try await tx.helpers(of: owner) where helper.state(at: now) == .active {
            guard let id = helper.helperID, let account = try await tx.account(id: id), account.disabledAt == nil else {
                continue
            }
            active.append(helper)
        }
        return active
    }

    /// What the helpers of an account do for a recovery link.
    ///
    /// Only a mailed link can be approved: the mailbox is the first of two proofs, and a helper alone must open nothing. An
    /// approval counts while the person who gave it is a helper.
    func help(for link: RecoveryLink, at now: Int64, in tx: some AccountTransaction) async throws -> RecoveryTerms.Help
    {
        guard link.source == .mail else { return .none }
        let helpers = try await activeHelpers(of: link.accountID, at: now, in: tx)
        guard !helpers.isEmpty else { return .none }
        guard let request = try await tx.helpRequest(of: link.accountID), request.tokenHash == link.tokenHash else {
            return .available
        }
        if let approver = request.approvedBy {
            return helpers.contains { $0.helperID == approver } ? .approved : .available
        }
        let isOver = request.isExpired(at: now) || request.wrongCodes >= HelperRules.mostWrongCodes
        return isOver ? .available : .asked(until: request.expiresAt)
    }

    /// The request for help of an account that a helper can approve now, with its link; `nil` if there is none.
    func openHelpRequest(of owner: Account, at now: Int64, in tx: some AccountTransaction) async throws -> HelpRequest?
    {
        guard owner.disabledAt == nil, let request = try await tx.helpRequest(of: owner.id), request.isOpen(at: now),
            let link = try await tx.recoveryLink(tokenHash: request.tokenHash), link.accountID == owner.id,
            link.source == .mail, !link.isExpired(at: now)
        else { return nil }
        return request
    }

    /// The recoveries of an account that its owner may want to stop, as JSON.
    func stoppableRecoveries(of account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws
        -> JSONValue
    {
        let request = usesRecoveryHelpers ? try await tx.helpRequest(of: account) : nil
        return JSONValue(waiting: try await tx.recoveryLinks(of: account), asking: request?.tokenHash, at: now)
    }

    /// Removes the helpers of an account who do not count yet: the owner says that it was not them.
    func removeNewHelpers(of account: AccountID, _ details: AuditDetails, at now: Int64, in tx: Store.Transaction)
        async throws
    {
        for helper in try await tx.helpers(of: account) {
            switch helper.state(at: now) {
            case .asked, .accepted: try await remove(helper, details, at: now, in: tx)
            case .active, .ended: break
            }
        }
    }

    /// Deletes a helper, and writes it to the audit log of both accounts.
    private func remove(_ helper: RecoveryHelper, _ details: AuditDetails, at now: Int64, in tx: Store.Transaction)
        async throws
    {
        guard try await tx.deleteHelper(id: helper.id) else { return }
        try await note(.helperRemoved, helper, byOwner: true, details, at: now, in: tx)
    }

    /// Writes an event between two accounts to the audit log: a row for each.
    ///
    /// The details belong to the person who acted, so only the row of this person's account has them.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - helper: The two accounts. A name that nobody accepted has no row of its own.
    ///   - byOwner: Whether the owner acted, and not the helper.
    ///   - details: The session and address of the person who acted.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    func note(
        _ kind: AuditEvent.Kind,
        _ helper: RecoveryHelper,
        byOwner: Bool,
        _ details: AuditDetails,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        let known = helper.acceptedAt == nil ? nil : helper.helperID
        let ofOwner = (byOwner ? details : AuditDetails()).with(other: known)
        try await tx.append(
            AuditEvent(kind, at: now, by: byOwner ? .owner : .service, of: helper.ownerID, details: ofOwner)
        )
        guard let known else { return }
        let ofHelper = (byOwner ? AuditDetails() : details).with(other: helper.ownerID)
        try await tx.append(
            AuditEvent(kind, at: now, by: byOwner ? .service : .owner, of: known, details: ofHelper)
        )
    }
}
