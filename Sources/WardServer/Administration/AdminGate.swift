import Hummingbird
import WardAccounts

/// Who may use the calls of an ``AdminAPI``.
enum AdminGate<Store: AccountStore>: Sendable {
    /// Programs with a token, at an address of their own.
    case programs
    /// People in the group of administrators, each with the session of a browser, at the service's own address.
    case people(Deployment<Store>, GroupName)
}

/// What a person at the admin page wants to do.
enum AdminWish: Sendable {
    /// See something.
    case read
    /// Change something.
    case change

    /// The largest age of the person's proof with a passkey, in seconds.
    var proofLifetime: Int64 {
        switch self {
        case .read: 900
        case .change: SessionLimits.recentSignIn
        }
    }
}

extension Deployment {
    /// The session and account of the administrator who uses the admin page.
    ///
    /// This is the only place that lets a person through. These conditions hold at the moment of the call:
    /// - The request has a browser's session, and no token that a program keeps. It is no session of a device or an app.
    /// - The account is in the group of administrators, and is not disabled.
    /// - If the session is bound to a device, the request comes from there.
    /// - The request comes from a page of the service itself.
    /// - A passkey with user verification proved the person in this session, at most 15 minutes ago to see something and 5
    ///   minutes ago to change something. A password alone, also a recent one, is not enough.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - wish: What the person wants to do.
    ///   - group: The group of administrators.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The session and the account.
    /// - Throws: ``APIError``: `not_found`, as for an address where nothing is, if the caller is no administrator. An administrator
    ///   gets `device_proof_required`, `origin_not_allowed` or `passkey_sign_in_required`.
    func administrator(
        _ request: Request,
        _ wish: AdminWish,
        of group: GroupName,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> (session: Session, account: Account) {
        let (presented, found) = try await member(request, of: group, at: now, in: tx)
        guard presented.opens(found.session, at: now) else { throw APIError.deviceProofRequired }
        try origins.checkOwnPage(request, changes: wish == .change)
        guard let proof = found.session.passkeyProof, proof.userVerified,
            (now - wish.proofLifetime...now).contains(proof.provenAt)
        else {
            throw APIError(
                .passkeySignInRequired,
                "This needs a sign-in with a passkey and user verification within the last "
                    + "\(wish.proofLifetime / 60) minutes."
            )
        }
        return found
    }

    /// The administrator whose browser loads the admin page, which shows nothing by itself.
    ///
    /// - Throws: ``APIError`` with `not_found` if the caller is no administrator.
    func visitingAdministrator(
        _ request: Request,
        of group: GroupName,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Account {
        let (presented, found) = try await member(request, of: group, at: now, in: tx)
        guard presented.opens(found.session, at: now) else { throw APIError.nothingHere }
        return found.account
    }

    /// The session that a browser's cookies name, and its account, if the account is in a group.
    private func member(
        _ request: Request,
        of group: GroupName,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> (presented: PresentedSession, found: (session: Session, account: Account)) {
        guard !request.usesBearerToken, let presented = shownCookies(in: request),
            let found = try await tx.signedIn(tx.session(tokenHash: presented.tokenHash), under: sessionRules, at: now),
            found.session.clientID == nil, found.account.groups.contains(group)
        else { throw APIError.nothingHere }
        return (presented, found)
    }
}

extension APIError {
    /// The same answer as for an address where nothing is.
    static let nothingHere = APIError(.notFound, "Nothing exists at this address.")
}
