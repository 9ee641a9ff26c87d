import Crypto
import WardAccounts
import WardCOSE
import WardRelyingParty
import WardWebAuthn

/// Who may create a passkey without a prompt.
enum SilentRegistration: Sendable {
    /// A person who signed in with a password, to an account without a proven passkey.
    case upgrade(Account)
    /// A person who signed in with a passkey for which the service has a better algorithm.
    case succession(Account, Succession)
}

extension Deployment {
    /// The service's algorithms for new passkeys, best first.
    var algorithms: [COSEAlgorithmIdentifier] { relyingParty.policy.algorithms }

    /// Decides whether a session may create a passkey without a prompt, and which kind.
    ///
    /// - Throws: ``APIError`` with `password_sign_in_required` if it may not, with `passkey_not_accepted` if a rule asks for a
    ///   proven model, or as ``recentlySignedIn(_:at:in:)`` does.
    func silentRegistration(
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> SilentRegistration {
        let (session, account) = try await recentlySignedIn(presented, at: now, in: tx)
        try checkCanBeSilent(account, at: now)
        if session.method == .password { return .upgrade(account) }
        var passkey: Passkey?
        if let proof = session.passkeyProof { passkey = try await tx.passkey(credentialID: proof.credentialID) }
        guard let succession = Succession(in: session, of: passkey, choosingFrom: algorithms, at: now) else {
            throw APIError(
                .passwordSignInRequired,
                "Sign in with the password first, or with a passkey for which this service has a better algorithm: only then "
                    + "is a passkey created without a prompt."
            )
        }
        return .succession(account, succession)
    }

    /// Checks again, when the new passkey comes, that the session may create it.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony that was answered.
    ///   - purpose: Its purpose.
    ///   - presented: What the caller shows of its session.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The account of the session, and the passkey that gets a successor.
    /// - Throws: ``APIError`` with `not_signed_in` if another passkey opened the session or its passkey can have no successor
    ///   any more, or as ``silentRegistration(_:at:in:)`` does.
    func continuedSuccession(
        _ ceremony: Ceremony,
        _ purpose: CeremonyPurpose,
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (account: AccountID, predecessor: CredentialID) {
        guard case .succession(let account, let succession) = try await silentRegistration(presented, at: now, in: tx),
            purpose.link == CeremonyPurpose.hash(of: succession.predecessor.record.id),
            // Another start of the service may have another list.
            ceremony.algorithms == succession.algorithms
        else { throw APIError.notSignedIn }
        return (account.id, succession.predecessor.record.id)
    }

    /// Retires the passkey that another one succeeds: deletes it, in the transaction of the sign-in with the new one.
    ///
    /// Nothing happens if the old passkey is not there, or if the new one is not certainly on the same device.
    ///
    /// - Parameters:
    ///   - successor: The passkey that signed in with user verification, as it was stored before.
    ///   - account: Its account.
    ///   - details: For the row of the audit log.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    func retirePredecessor(
        of successor: Passkey,
        of account: Account,
        _ details: AuditDetails,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        guard let id = successor.succeeds, let predecessor = try await tx.passkey(credentialID: id),
            Succession.retires(successor, predecessor),
            try await tx.deletePasskey(credentialID: id, of: account.id)
        else { return }
        if let name = Succession.name(of: successor, after: predecessor) {
            _ = try await tx.renamePasskey(credentialID: successor.record.id, of: account.id, to: name)
        }
        try await tell(.passkeyDeleted, account, at: now, in: tx)
        try await tx.append(AuditEvent(.passkeyReplaced, at: now, of: account.id, credential: id, details: details))
    }
}

extension CeremonyPurpose {
    /// The form of a credential ID in a purpose, which has a fixed length.
    static func hash(of id: CredentialID) -> [UInt8] { Array(SHA256.hash(data: id.bytes)) }
}
