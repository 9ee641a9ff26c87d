import WardAccounts

/// What a person has to prove for a sensitive change.
extension Deployment {
    /// The session and account, if the person proved within the last minutes who they are.
    ///
    /// An account with a proven passkey asks for a proof by a passkey, so a stolen password cannot take the account. A proof
    /// without user verification is one factor: a sign-in with the password must follow it, so a found authenticator cannot
    /// take the account either. Any other account asks for a sign-in.
    ///
    /// - Throws: ``APIError`` with `not_signed_in`, `recent_sign_in_required`, or a code that says which proof the account
    ///   can give: `passkey_sign_in_required`, `passkey_and_password_required` or `second_factor_missing`.
    func recentlySignedIn(
        _ tokenHash: [UInt8],
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (session: Session, account: Account) {
        let signedIn = try await tx.signedIn(tokenHash, at: now)
        let session = signedIn.session
        if try await tx.hasProvenPasskey(signedIn.account.id) {
            guard let proof = session.passkeyProof, SessionLimits.isRecent(proof.provenAt, at: now),
                proof.userVerified || session.hasRecentPassword(at: now)
            else { throw try await proofNeeded(for: signedIn.account.id, in: tx) }
        } else if !SessionLimits.isRecent(session.authenticatedAt, at: now) {
            throw APIError(
                .recentSignInRequired,
                "This needs a sign-in within the last five minutes. Sign in again first."
            )
        }
        return signedIn
    }

    /// The session and account, if the recent sign-in used a password and the account has no proven passkey.
    ///
    /// Only then may the browser create a passkey without a prompt.
    ///
    /// - Throws: ``APIError`` with `password_sign_in_required`, or as
    ///   ``recentlySignedIn(_:at:in:)`` does.
    func recentlySignedInWithPassword(
        _ tokenHash: [UInt8],
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> Account {
        let (session, account) = try await recentlySignedIn(tokenHash, at: now, in: tx)
        guard session.method == .password else {
            throw APIError(.passwordSignInRequired, "An automatic upgrade needs a session that began with a password.")
        }
        return account
    }

    /// The refusal that says what to do next, for an account with a proven passkey.
    private func proofNeeded(for account: AccountID, in tx: Store.Transaction) async throws -> APIError {
        if try await tx.hasOpeningPasskey(account) {
            return APIError(
                .passkeySignInRequired,
                "This needs a sign-in with a passkey and user verification within the last five minutes. A password alone "
                    + "is not enough."
            )
        }
        if try await hasPassword(account, in: tx) {
            return APIError(
                .passkeyAndPasswordRequired,
                "The passkeys of this account verify nobody. Sign in with one of them and then with the password, both "
                    + "within five minutes."
            )
        }
        return APIError(
            .secondFactorMissing,
            "The passkeys of this account verify nobody, and it has no password, so nothing proves enough for this change. "
                + "Ask the people who run this service for help."
        )
    }
}

extension Session {
    /// Whether the session began with a password within the last minutes.
    fileprivate func hasRecentPassword(at now: Int64) -> Bool {
        method == .password && SessionLimits.isRecent(authenticatedAt, at: now)
    }
}
