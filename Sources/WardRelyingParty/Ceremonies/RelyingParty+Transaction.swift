public import WardWebAuthn

extension RelyingParty {
    /// Answers a registration inside a transaction: consumes the ceremony, verifies, and keeps the credential.
    ///
    /// A refused ceremony is a value and not a thrown error, so that the transaction commits: the challenge is used up
    /// either way. What is thrown comes from the store or from `keeping`, and leaves the credential unwritten: let it leave
    /// the transaction's closure to undo everything.
    ///
    /// - Parameters:
    ///   - id: The ceremony, as the page names it.
    ///   - response: The client's answer.
    ///   - transaction: The transaction that everything happens in.
    ///   - keeping: Called after every check; makes the entry that is kept, and the account where it is new. It throws
    ///     ``CeremonyRefusal`` to refuse the registration.
    /// - Returns: The verified registration and the entry, or why the registration is refused.
    /// - Throws: What the store throws, and what `keeping` throws.
    public func finishRegistration<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: RegistrationResponse,
        in transaction: Transaction,
        keeping: (VerifiedRegistration) async throws -> Transaction.Credential
    ) async throws -> Result<(verified: VerifiedRegistration, credential: Transaction.Credential), VerificationError> {
        // First of all: this challenge is never answered again.
        guard let ceremony = try await transaction.takeCeremony(id: id) else {
            return .failure(VerificationError(.challengeNotFound, .registration(8), "no such ceremony is under way"))
        }
        let verified: VerifiedRegistration
        do {
            verified = try verify(response, for: ceremony)
        } catch {
            return .failure(error)
        }
        // Step 26: "Verify that the credentialId is not yet registered for any user."
        guard try await !transaction.isRegistered(verified.credential.id) else {
            return .failure(VerificationError(.credentialExists, .registration(26), "the credential is registered"))
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

    /// Answers a sign-in inside a transaction: consumes the ceremony, finds the account, then its credential, verifies,
    /// and writes the record back.
    ///
    /// A refused ceremony is a value and not a thrown error, so that the transaction commits: the challenge is used up
    /// either way. What is thrown comes from the store or from `keeping`, and leaves the credential unwritten: let it leave
    /// the transaction's closure to undo everything.
    ///
    /// - Parameters:
    ///   - id: The ceremony, as the page names it.
    ///   - response: The client's answer.
    ///   - transaction: The transaction that everything happens in.
    ///   - decoys: What names without an account were answered with: an answer to one of these is checked to the end
    ///     against a key that nobody has, so that it takes as long as a wrong answer for an account.
    ///   - keeping: Called after every check with the entry as it will be written, the new record in it; notes what the
    ///     service keeps beside, such as the time. It throws ``CeremonyRefusal`` to refuse the sign-in.
    /// - Returns: The verified sign-in and the entry, or why the sign-in is refused.
    /// - Throws: What the store throws, and what `keeping` throws.
    public func finishAuthentication<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: AuthenticationResponse,
        in transaction: Transaction,
        decoys: DecoyCredentials? = nil,
        keeping: (inout Transaction.Credential, VerifiedAuthentication) async throws -> Void = { _, _ in }
    ) async throws -> Result<(verified: VerifiedAuthentication, credential: Transaction.Credential), VerificationError>
    {
        // First of all: this challenge is never answered again.
        guard let ceremony = try await transaction.takeCeremony(id: id) else {
            return .failure(VerificationError(.challengeNotFound, .authentication(11), "no such ceremony is under way"))
        }
        let unknown = VerificationError(.credentialNotFound, .authentication(6), "the account has no such credential")
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
    /// Answers a registration inside a transaction that keeps nothing beside the record.
    ///
    /// - Parameters:
    ///   - id: The ceremony, as the page names it.
    ///   - response: The client's answer.
    ///   - transaction: The transaction that everything happens in.
    /// - Returns: The verified registration, or why it is refused.
    /// - Throws: What the store throws.
    public func finishRegistration<Transaction: CredentialTransaction>(
        _ id: CeremonyID,
        _ response: RegistrationResponse,
        in transaction: Transaction
    ) async throws -> Result<VerifiedRegistration, VerificationError> where Transaction.Credential == CredentialRecord {
        try await finishRegistration(id, response, in: transaction, keeping: { $0.credential }).map(\.verified)
    }
}
