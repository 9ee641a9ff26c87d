import WardAccounts

/// The rules of the service, for sessions that are open.
package struct SessionRules: Sendable {
    private let policy: SignInPolicy
    private let metadata: AuthenticatorMetadata?

    /// - Parameters:
    ///   - policy: The rules.
    ///   - metadata: What is known of models of authenticators; `nil` if no rule asks for it.
    package init(_ policy: SignInPolicy, _ metadata: AuthenticatorMetadata? = nil) {
        (self.policy, self.metadata) = (policy, metadata)
    }

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
    /// - Returns: Whether the session opens the account now.
    /// - Throws: The store's errors.
    func keeps(
        _ session: Session,
        of account: Account,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Bool {
        guard !policy.rules.isEmpty else { return true }
        let requirements = policy.requirements(in: account.groups, at: now)
        if let age = requirements.sessionAge, session.authenticatedAt <= now - age { return false }
        guard requirements.needsTwoFactors, !requirements.mayEnrol(at: now) else { return true }
        guard let proof = session.signInProof, let passkey = try await tx.passkey(credentialID: proof.credentialID)
        else { return requirements.passkeys == nil && session.secondFactor != nil }
        let known = metadata?.models(at: now) ?? .none
        guard requirements.accepts(passkey.record, of: passkey.verifiedModel, known) else { return false }
        // A passkey that verified nobody is one factor; then the password or the second step is the other.
        return proof.userVerified || session.method != .passkey || session.secondFactor != nil
    }
}

extension Deployment {
    /// The rules that hold for sessions.
    var sessionRules: SessionRules { SessionRules(policy, metadata) }
}

extension AccountTransaction {
    /// The sessions of an account that have not ended, for those who look at the list.
    ///
    /// - Throws: The store's errors.
    func openSessions(of account: Account, under rules: SessionRules, at now: Int64) async throws -> [Session] {
        var open: [Session] = []
        for session in try await sessions(of: account.id) where !session.isExpired(at: now) {
            if try await rules.keeps(session, of: account, at: now, in: self) { open.append(session) }
        }
        return open
    }
}
