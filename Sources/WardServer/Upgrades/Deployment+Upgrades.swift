import WardAccounts

extension Deployment {
    /// Whether a page may offer a passkey to an account now.
    ///
    /// The account has no passkey, and the last offer was long enough ago. A time in the future was written under
    /// another clock, so it does not count.
    func mayOfferPasskey(to account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws -> Bool {
        guard offerInterval > 0, try await tx.passkeys(of: account).isEmpty else { return false }
        return try await currentOffer(to: account, at: now, in: tx) == nil
    }

    /// Whether a page may offer to remove the password: nobody has used it for ``UpgradeReport/unusedDays``, a passkey was used
    /// meanwhile, and something leads back in when the passkey is lost.
    func mayOfferRemoval(
        of account: AccountID,
        _ journey: PasswordlessJourney,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        guard acceptsPasswords, journey.next == .noPassword else { return false }
        let oldest = now - UpgradeReport.unusedDays * UpgradeCount.secondsPerDay
        return try await tx.hasUnusedPassword(account, since: oldest)
    }

    /// Notes and counts that a page offers a passkey now; returns whether it may.
    func noteOffer(to account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws -> Bool {
        guard try await mayOfferPasskey(to: account, at: now, in: tx) else { return false }
        try await tx.setOffer(OfferRecord(accountID: account, shownAt: now))
        try await tx.count(.upsold, at: now)
        return true
    }

    /// Notes and counts that a person put the offer away; returns whether there was one that was not put away yet.
    func noteDismissal(by account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws -> Bool {
        guard var offer = try await currentOffer(to: account, at: now, in: tx), offer.dismissedAt == nil else {
            return false
        }
        offer.dismissedAt = now
        try await tx.setOffer(offer)
        try await tx.count(.dismissed, at: now)
        return true
    }

    /// The offer after which no other may come yet.
    private func currentOffer(
        to account: AccountID,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> OfferRecord? {
        guard let offer = try await tx.offer(to: account), offer.shownAt <= now,
            offer.shownAt > now - offerInterval
        else { return nil }
        return offer
    }
}

extension AccountTransaction {
    /// Adds one to the count of a day on the way from passwords to passkeys.
    func count(_ kind: UpgradeCount.Kind, at now: Int64) async throws {
        try await countUpgrade(kind, on: UpgradeCount.day(of: now))
    }
}
