import WardAccounts

extension SignInPolicy {
    /// Whether a session goes on under the rules.
    ///
    /// The longest time of a session holds for each session, also for one that began before the rule. A session that began with
    /// less than the rules ask for goes on until their grace has ended, so that its owner can add what is missing.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - account: Its account.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction; it knows the passkey of the sign-in.
    /// - Throws: The store's errors.
    func keeps(
        _ session: Session,
        of account: Account,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        guard !rules.isEmpty else { return true }
        let requirements = requirements(in: account.groups, at: now)
        if let age = requirements.sessionAge, session.authenticatedAt <= now - age { return false }
        guard requirements.needsTwoFactors, !requirements.mayEnrol(at: now) else { return true }
        guard let proof = session.signInProof, let passkey = try await tx.passkey(credentialID: proof.credentialID)
        else { return requirements.passkeys == nil && session.secondFactor != nil }
        guard requirements.accepts(passkey.record) else { return false }
        // A passkey that verified nobody is one factor; then the password or the second step is the other.
        return proof.userVerified || session.method != .passkey || session.secondFactor != nil
    }
}

extension AccountTransaction {
    /// The sessions of an account that have not ended, for those who look at the list.
    ///
    /// - Throws: The store's errors.
    func openSessions(of account: Account, under policy: SignInPolicy, at now: Int64) async throws -> [Session] {
        var open: [Session] = []
        for session in try await sessions(of: account.id) where !session.isExpired(at: now) {
            if try await policy.keeps(session, of: account, at: now, in: self) { open.append(session) }
        }
        return open
    }
}
