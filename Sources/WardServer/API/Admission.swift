import WardAccounts

/// The data in a request that may allow it to create an account.
///
/// It is checked before any work that depends on a name. So a refusal does not show which names exist.
struct Admission: Sendable {
    /// The hash of the invitation's token.
    ///
    /// It is `nil` if no invitation is needed.
    let invitation: [UInt8]?

    /// Reads `invitation` from a request if the service needs one.
    ///
    /// - Throws: ``APIError`` with `registration_closed`, `invitation_required` or `invitation_not_valid`.
    init(_ policy: RegistrationPolicy, _ fields: JSONFields) throws(APIError) {
        let text = try fields.optionalString("invitation")
        switch policy {
        case .open: invitation = nil
        case .closed: throw .registrationClosed
        case .invite:
            guard let text else { throw .invitationRequired }
            guard let token = LinkToken(text: text) else { throw .invitationNotValid }
            invitation = token.hash
        }
    }

    /// The data that a ceremony stored from the request that began it.
    ///
    /// In the meantime the service may have become stricter.
    ///
    /// - Throws: ``APIError`` with `registration_closed` or `invitation_required`.
    init(_ policy: RegistrationPolicy, _ purpose: CeremonyPurpose) throws(APIError) {
        switch policy {
        case .open: invitation = nil
        case .closed: throw .registrationClosed
        case .invite:
            guard let hash = purpose.link else { throw .invitationRequired }
            invitation = hash
        }
    }

    /// Checks that the invitation can still be used.
    ///
    /// - Throws: ``APIError`` with `invitation_not_valid`.
    func check(at now: Int64, in tx: some AccountTransaction) async throws {
        guard let invitation else { return }
        guard let found = try await tx.invitation(tokenHash: invitation), !found.isExpired(at: now) else {
            throw APIError.invitationNotValid
        }
    }

    /// Deletes the invitation in the transaction that creates the account.
    func use(in tx: some AccountTransaction) async throws {
        if let invitation { try await tx.deleteInvitation(tokenHash: invitation) }
    }
}

extension APIError {
    fileprivate static let registrationClosed = APIError(
        .registrationClosed,
        "This service takes no new accounts."
    )
    fileprivate static let invitationRequired = APIError(
        .invitationRequired,
        "A new account needs an invitation. Ask the people who run this service for one."
    )
    fileprivate static let invitationNotValid = APIError(
        .invitationNotValid,
        "This invitation was used already or has expired. Ask for a new one."
    )
}
