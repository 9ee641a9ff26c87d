public import WardWebAuthn

extension RelyingParty {
    /// Finishes a registration inside a transaction: consumes the ceremony, verifies the answer, and stores the
    /// credential.
    ///
    /// A refused ceremony is a returned value and not a thrown error, so the transaction commits and the challenge is
    /// used up in both cases. Thrown errors come from the store or from `keeping`; then the credential is not written.
    /// Rethrow them from the transaction's closure to roll everything back.
    ///
    /// - Parameters:
    ///   - id: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - transaction: The transaction.
    ///   - keeping: Called after all checks. It makes the entry to store, and the account if it is new, or throws
    /// ``CeremonyRefusal`` to refuse the registration.
    ///
    /// - Returns: The verified registration and the entry, or the error that refused it.
    /// - Throws: The store's errors, and errors of `keeping`.
    public func finishRegistration<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: RegistrationResponse,
        in transaction: Transaction,
        keeping: (VerifiedRegistration) async throws -> Transaction.Credential
    ) async throws -> Result<(verified: VerifiedRegistration, credential: Transaction.Credential), VerificationError> {
        // First consume the challenge, so that it can never be answered again.
        guard let ceremony = try await transaction.takeCeremony(id: id) else {
            return .failure(
                VerificationError(.challengeNotFound, .registration(8), "no ceremony with this ID is in progress")
            )
        }
        let verified: VerifiedRegistration
        do {
            verified = try verify(response, for: ceremony)
        } catch {
            return .failure(error)
        }
        // Step 26: "Verify that the credentialId is not yet registered for any user."
        guard try await !transaction.isRegistered(verified.credential.id) else {
            return .failure(
                VerificationError(.credentialExists, .registration(26), "the credential is already registered")
            )
        }
        let credential: Transaction.Credential
        do {
            credential = try await keeping(verified)
        } catch let refusal as CeremonyRefusal {
            return .failure(VerificationError(.accountRefused, .registration(29), refusal.description))
        }
        // Step 29: "store credentialRecord in the user account".
        try await transaction.insert(credential)
        return .success((verified, credential))
    }

    /// Finishes a sign-in inside a transaction: consumes the ceremony, finds the account and its credential, verifies
    /// the answer, and updates the record.
    ///
    /// A refused ceremony is a returned value and not a thrown error, so the transaction commits and the challenge is
    /// used up in both cases. Thrown errors come from the store or from `keeping`; then the credential is not written.
    /// Rethrow them from the transaction's closure to roll everything back.
    ///
    /// - Parameters:
    ///   - id: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - transaction: The transaction.
    ///   - decoys: The decoys that unknown names were answered with. An answer with a decoy is verified completely
    ///     against
    ///     a throw-away key, so it takes as long as a wrong answer for a real account.
    ///   - keeping: Called after all checks with the updated entry, before it is stored. It can set the service's own
    ///     values,
    ///     such as the time, or throw ``CeremonyRefusal`` to refuse the sign-in.
    ///
    /// - Returns: The verified sign-in and the entry, or the error that refused it.
    /// - Throws: The store's errors, and errors of `keeping`.
    public func finishAuthentication<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: AuthenticationResponse,
        in transaction: Transaction,
        decoys: DecoyCredentials? = nil,
        keeping: (inout Transaction.Credential, VerifiedAuthentication) async throws -> Void = { _, _ in }
    ) async throws -> Result<(verified: VerifiedAuthentication, credential: Transaction.Credential), VerificationError>
    {
        // First consume the challenge, so that it can never be answered again.
        guard let ceremony = try await transaction.takeCeremony(id: id) else {
            return .failure(
                VerificationError(.challengeNotFound, .authentication(11), "no ceremony with this ID is in progress")
            )
        }
        return try await finishAuthentication(ceremony, response, in: transaction, decoys: decoys, keeping: keeping)
    }

    /// Finishes a sign-in inside a transaction whose ceremony the caller consumed: finds the account and its credential,
    /// verifies the answer, and updates the record.
    ///
    /// It is for ceremonies that are not in the store, see ``CeremonySeal``. The caller must make sure, in the same
    /// transaction, that the ceremony is answered once.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony.
    ///   - response: The client's answer.
    ///   - transaction: The transaction.
    ///   - decoys: The decoys that unknown names were answered with.
    ///   - keeping: Called after all checks with the updated entry, before it is stored.
    /// - Returns: The verified sign-in and the entry, or the error that refused it.
    /// - Throws: The store's errors, and errors of `keeping`.
    public func finishAuthentication<Transaction: CredentialTransaction>(
        _ ceremony: Ceremony,
        _ response: AuthenticationResponse,
        in transaction: Transaction,
        decoys: DecoyCredentials? = nil,
        keeping: (inout Transaction.Credential, VerifiedAuthentication) async throws -> Void = { _, _ in }
    ) async throws -> Result<(verified: VerifiedAuthentication, credential: Transaction.Credential), VerificationError>
    {
        let unknown = VerificationError(
            .credentialNotFound,
            .authentication(6),
            "the account has no credential with this ID"
        )
        let user: UserHandle
        do {
            user = try self.user(of: response, for: ceremony)
        } catch {
            return .failure(error)
        }
        // Step 6: the account first, then the credential as that account's own.
        guard var credential = try await transaction.credential(id: response.id, of: user) else {
            guard let decoy = decoys?.record(response.id, in: ceremony) else { return .failure(unknown) }
            do { _ = try verify(response, for: ceremony, record: decoy) } catch { return .failure(error) }
            return .failure(unknown)
        }
        let verified: VerifiedAuthentication
        do {
            verified = try verify(response, for: ceremony, record: credential.record)
        } catch {
            return .failure(error)
        }
        credential.record = verified.credential
        do {
            try await keeping(&credential, verified)
        } catch let refusal as CeremonyRefusal {
            return .failure(VerificationError(.accountRefused, .authentication(24), refusal.description))
        }
        guard try await transaction.update(credential) else { return .failure(unknown) }
        return .success((verified, credential))
    }
}

extension RelyingParty {
    /// Finishes a registration inside a transaction that stores only the record.
    ///
    /// - Parameters:
    ///   - id: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - transaction: The transaction.
    /// - Returns: The verified registration, or the error that refused it.
    /// - Throws: The store's errors.
    public func finishRegistration<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: RegistrationResponse,
        in transaction: Transaction
    ) async throws -> Result<VerifiedRegistration, VerificationError> where Transaction.Credential == CredentialRecord {
        try await finishRegistration(id, response, in: transaction, keeping: { $0.credential }).map(\.verified)
    }
}
