import WardAccounts

/// The sign-ins that a person needs for a sensitive change.
extension Deployment {
    /// The session and account, if the person proved their identity within the last minutes.
    ///
    /// If the account has a proven passkey, a sign-in with a passkey is required, so a thief with the password cannot take over
    /// the account. A sign-in without user verification is one factor: a sign-in with the password must follow, so a thief with
    /// the authenticator cannot take over the account either. For other accounts any sign-in is enough.
    ///
    /// - Throws: ``APIError`` with `not_signed_in`, `recent_sign_in_required`, or a code that says which proof the account
    ///   can give: `passkey_sign_in_required`, `passkey_and_password_required` or `second_factor_missing`.
    func recentlySignedIn(
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (session: Session, account: Account) {
        let signedIn = try await tx.signedIn(presented, under: sessionRules, at: now)
        let session = signedIn.session
        if try await tx.hasProvenPasskey(signedIn.account.id) {
            guard let proof = session.passkeyProof, SessionLimits.isRecent(proof.provenAt, at: now),
                proof.userVerified || session.hasRecentOtherProof(at: now)
            else { throw try await proofNeeded(for: signedIn.account.id, in: tx) }
        } else if !SessionLimits.isRecent(session.authenticatedAt, at: now) {
            throw APIError(
                .recentSignInRequired,
                "This change needs a sign-in within the last five minutes. Sign in again first."
            )
        }
        return signedIn
    }

    /// The session and account, if the recent sign-in used a password and the account has no proven passkey.
    ///
    /// Only in this case may the browser create a passkey without a prompt.
    ///
    /// - Throws: ``APIError`` with `password_sign_in_required`, or as
    ///   ``recentlySignedIn(_:at:in:)`` does.
    func recentlySignedInWithPassword(
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> Account {
        let (session, account) = try await recentlySignedIn(presented, at: now, in: tx)
        guard session.method != .passkey else {
            throw APIError(
                .passwordSignInRequired,
                "Sign in with the password first: only then is a passkey created without a "
                    + "prompt."
            )
        }
        return account
    }

    /// The error for an account with a proven passkey.
    ///
    /// It says what to do next.
    private func proofNeeded(for account: AccountID, in tx: Store.Transaction) async throws -> APIError {
        if try await tx.hasOpeningPasskey(account) {
            return APIError(
                .passkeySignInRequired,
                "This change needs a sign-in with a passkey and user verification within the last five minutes. A password "
                    + "alone "
                    + "is not enough."
            )
        }
        if try await hasPassword(account, in: tx) {
            return APIError(
                .passkeyAndPasswordRequired,
                "No passkey of this account verifies you with a PIN, fingerprint or face. Sign in with a passkey and "
                    + "then with the password, both within five minutes."
            )
        }
        return APIError(
            .secondFactorMissing,
            "This change needs a passkey that verifies you with a PIN, fingerprint or face, or a password. This account "
                + "has neither. Ask the people who run this service for help."
        )
    }
}

extension Session {
    /// Whether the session began with a password, or at an identity provider, within the last minutes.
    fileprivate func hasRecentOtherProof(at now: Int64) -> Bool {
        method != .passkey && SessionLimits.isRecent(authenticatedAt, at: now)
    }
}
