public import WardWebAuthn

extension RelyingParty {
    /// Answers a registration inside a transaction: consumes the ceremony, verifies, and keeps the credential.
    ///
    /// A refused ceremony is a value and not a thrown error, so that the transaction commits: the challenge is used up
    /// either way. What is thrown comes from the store, and undoes everything.
    ///
    /// - Parameters:
    ///   - id: The ceremony, as the page names it.
    ///   - response: The client's answer.
    ///   - transaction: The transaction that everything happens in.
    ///   - admitting: Called after every check and before the record is kept; makes the account where it is new. A
    ///     returned sentence refuses the registration, with the code `accountRefused`.
    /// - Returns: The verified registration, or why it is none.
    /// - Throws: What the store throws.
    public func finishRegistration(
        _ id: CeremonyID,
        _ response: RegistrationResponse,
        in transaction: some CredentialTransaction,
        admitting: (VerifiedRegistration) throws -> String? = { _ in nil }
    ) throws -> Result<VerifiedRegistration, VerificationError> {
        // First of all: this challenge is never answered again.
        guard let ceremony = try transaction.takeCeremony(id: id) else {
            return .failure(VerificationError(.challengeNotFound, .registration(8), "no such ceremony is under way"))
        }
        let verified: VerifiedRegistration
        do {
            verified = try verify(response, for: ceremony)
        } catch {
            return .failure(error)
        }
        // Step 26: "Verify that the credentialId is not yet registered for any user."
        guard try !transaction.isRegistered(verified.credential.id) else {
            return .failure(VerificationError(.credentialExists, .registration(26), "the credential is registered"))
        }
        if let refusal = try admitting(verified) {
            return .failure(VerificationError(.accountRefused, .registration(29), refusal))
        }
        // Step 29: "store credentialRecord in the user account".
        try transaction.insert(verified.credential)
        return .success(verified)
    }

    /// Answers a sign-in inside a transaction: consumes the ceremony, finds the account, then its credential, verifies,
    /// and writes the record back.
    ///
    /// A refused ceremony is a value and not a thrown error, so that the transaction commits: the challenge is used up
    /// either way. What is thrown comes from the store, and undoes everything.
    ///
    /// - Parameters:
    ///   - id: The ceremony, as the page names it.
    ///   - response: The client's answer.
    ///   - transaction: The transaction that everything happens in.
    /// - Returns: The verified sign-in, or why it is none.
    /// - Throws: What the store throws.
    public func finishAuthentication(
        _ id: CeremonyID,
        _ response: AuthenticationResponse,
        in transaction: some CredentialTransaction
    ) throws -> Result<VerifiedAuthentication, VerificationError> {
        // First of all: this challenge is never answered again.
        guard let ceremony = try transaction.takeCeremony(id: id) else {
            return .failure(VerificationError(.challengeNotFound, .authentication(11), "no such ceremony is under way"))
        }
        let user: UserHandle
        do {
            user = try self.user(of: response, for: ceremony)
        } catch {
            return .failure(error)
        }
        // Step 6: the account first, then the credential as that account's own.
        guard let record = try transaction.credential(id: response.id, of: user) else {
            return .failure(
                VerificationError(.credentialNotFound, .authentication(6), "the account has no such credential")
            )
        }
        let verified: VerifiedAuthentication
        do {
            verified = try verify(response, for: ceremony, record: record)
        } catch {
            return .failure(error)
        }
        try transaction.update(verified.credential)
        return .success(verified)
    }
}
