extension AccountTransaction {
    /// Ends all sessions of an account.
    ///
    /// - Parameter account: The ID of the account.
    /// - Returns: The number of ended sessions, including expired ones.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    public func endSessions(of account: AccountID) async throws -> Int {
        try await deleteOldestSessions(of: account, keeping: 0)
    }

    /// Deletes all recovery links of an account, and the request for help that belongs to one of them.
    public func deleteRecoveryLinks(of account: AccountID) async throws {
        try await deleteHelpRequest(of: account)
        for source in RecoveryLink.Source.allCases { try await deleteRecoveryLink(of: account, from: source) }
    }

    /// Disables an account until it is enabled again.
    ///
    /// The account's sessions end, and its recovery links no longer work. Its name stays taken.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether the account exists.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    public func disableAccount(id account: AccountID, at now: Int64) async throws -> Bool {
        try await endSessions(of: account)
        try await deleteRecoveryLinks(of: account)
        return try await setAccount(id: account, disabledAt: now)
    }
}
