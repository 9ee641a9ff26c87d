public import WardAccounts

extension MemoryTransaction {
    // MARK: Invitations

    /// Stores an invitation until it is used or expires.
    public func insert(_ invitation: Invitation) throws {
        try beginWriting()
        guard records.invitations[invitation.tokenHash] == nil else { throw StoreError(.conflict) }
        records.invitations[invitation.tokenHash] = invitation
    }

    /// Finds an invitation by the hash of its token.
    public func invitation(tokenHash: [UInt8]) throws -> Invitation? {
        records.invitations[tokenHash]
    }

    /// The newest invitations.
    public func invitations(limit: Int) throws -> [Invitation] {
        let sorted = records.invitations.values.sorted { first, second in
            guard first.createdAt == second.createdAt else { return first.createdAt > second.createdAt }
            return first.tokenHash.lexicographicallyPrecedes(second.tokenHash)
        }
        return Array(sorted.prefix(max(0, limit)))
    }

    /// Deletes an invitation that is being used.
    @discardableResult
    public func deleteInvitation(tokenHash: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.invitations.removeValue(forKey: tokenHash) != nil
    }

    /// Deletes expired invitations.
    @discardableResult
    public func deleteExpiredInvitations(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.invitations.values.filter { $0.expiresAt < time }.prefix(max(0, limit))
        for invitation in expired { records.invitations[invitation.tokenHash] = nil }
        return expired.count
    }

    // MARK: Recovery links

    /// Stores an account's recovery link, in place of one from the same source.
    public func setRecoveryLink(_ link: RecoveryLink) throws {
        try beginWriting(link.proofs)
        let other = try recoveryLink(tokenHash: link.tokenHash).map { RecoveryPlace($0.accountID, $0.source) }
        let place = RecoveryPlace(link.accountID, link.source)
        guard other == nil || other == place else { throw StoreError(.conflict) }
        guard records.accounts[link.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.recoveryLinks[place] = link
    }

    /// Finds a recovery link by the hash of its token.
    public func recoveryLink(tokenHash: [UInt8]) throws -> RecoveryLink? {
        records.recoveryLinks.values.first { $0.tokenHash == tokenHash }
    }

    /// The recovery links of an account.
    public func recoveryLinks(of account: AccountID) throws -> [RecoveryLink] {
        records.recoveryLinks.values.filter { $0.accountID == account }.sorted {
            $0.source.rawValue < $1.source.rawValue
        }
    }

    /// Deletes an account's recovery link.
    @discardableResult
    public func deleteRecoveryLink(of account: AccountID, from source: RecoveryLink.Source) throws -> Bool {
        try beginWriting()
        return records.recoveryLinks.removeValue(forKey: RecoveryPlace(account, source)) != nil
    }
}
