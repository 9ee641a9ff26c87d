public import WardAccounts

extension MemoryTransaction {
    /// Begins a session at an app's host.
    public func insert(_ session: AppSession) throws {
        try beginWriting(session.origin)
        let old = records.appSessions.values.first { $0.sessionID == session.sessionID && $0.origin == session.origin }
        if let other = records.appSessions[session.tokenHash], other != old { throw StoreError(.conflict) }
        guard records.sessions[session.sessionID] != nil else { throw StoreError(.accountNotFound) }
        if let old { records.appSessions[old.tokenHash] = nil }
        records.appSessions[session.tokenHash] = session
    }

    /// Finds a session at an app's host by the hash of its token.
    public func appSession(tokenHash: [UInt8]) throws -> AppSession? {
        records.appSessions[tokenHash]
    }
}
