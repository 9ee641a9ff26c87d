public import WardWebAuthn

/// What a page needs to begin a registration.
public struct RegistrationStart: Sendable {
    /// What the page gives back with its answer.
    public let ceremony: CeremonyID
    /// What goes to `navigator.credentials.create`.
    public let options: PublicKeyCredentialCreationOptions
}

/// What a page needs to begin a sign-in.
public struct AuthenticationStart: Sendable {
    /// What the page gives back with its answer.
    public let ceremony: CeremonyID
    /// What goes to `navigator.credentials.get`.
    public let options: PublicKeyCredentialRequestOptions
}

extension RelyingParty {
    /// Begins a registration and keeps the ceremony; the account's credentials are excluded.
    ///
    /// - Parameters:
    ///   - user: The account; its identifier is random bytes, never a name.
    ///   - store: Where ceremony and credentials are kept.
    ///   - request: What else there is to say.
    /// - Returns: What the page needs.
    /// - Throws: What the store throws.
    public func beginRegistration(
        for user: PublicKeyCredentialUserEntity,
        in store: some CredentialStore,
        request: RegistrationRequest = .init()
    ) async throws -> RegistrationStart {
        try await store.withTransaction { transaction in
            let existing = try await transaction.credentials(of: user.id).map(\.record.descriptor)
            let (options, ceremony) = self.registrationOptions(for: user, excluding: existing, request: request)
            try await transaction.insert(ceremony)
            return RegistrationStart(ceremony: ceremony.id, options: options)
        }
    }

    /// Answers a registration in one trip to the store.
    ///
    /// - Parameters:
    ///   - ceremony: What the page gave back.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: Where ceremony and credentials are kept.
    /// - Returns: The verified registration; its record is kept.
    /// - Throws: ``VerificationError`` when it must not be accepted, `WebAuthnError` when it cannot be read, or what the
    ///   store throws.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store
    ) async throws -> VerifiedRegistration where Store.Transaction.Credential == CredentialRecord {
        try await finishRegistration(ceremony, json, in: store, keeping: { $0.credential }).verified
    }

    /// Answers a registration in one trip to a store that keeps more than the record.
    ///
    /// - Parameters:
    ///   - ceremony: What the page gave back.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: Where ceremony and credentials are kept.
    ///   - keeping: Called after every check; makes the entry that is kept. It throws ``CeremonyRefusal`` to refuse.
    /// - Returns: The verified registration, and the entry that is kept.
    /// - Throws: ``VerificationError`` when it must not be accepted, `WebAuthnError` when it cannot be read, or what the
    ///   store throws.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store,
        keeping: @escaping @Sendable (VerifiedRegistration) async throws -> Store.Transaction.Credential
    ) async throws -> (verified: VerifiedRegistration, credential: Store.Transaction.Credential) {
        let response = try RegistrationResponse(json: json)
        return try await store.withTransaction { transaction in
            try await self.finishRegistration(ceremony, response, in: transaction, keeping: keeping)
        }.get()
    }

    /// Begins a sign-in and keeps the ceremony.
    ///
    /// - Parameters:
    ///   - user: The account where a name was typed; `nil` lets any discoverable credential answer. For a name that does
    ///     not exist, pass ``DecoyCredentials`` through ``authenticationOptions(allowing:user:request:)`` instead.
    ///   - store: Where ceremony and credentials are kept.
    ///   - request: What else there is to say.
    /// - Returns: What the page needs.
    /// - Throws: What the store throws.
    public func beginAuthentication(
        of user: UserHandle? = nil,
        in store: some CredentialStore,
        request: AuthenticationRequest = .init()
    ) async throws -> AuthenticationStart {
        try await store.withTransaction { transaction in
            var allowed: [PublicKeyCredentialDescriptor] = []
            if let user { allowed = try await transaction.credentials(of: user).map(\.record.descriptor) }
            let (options, ceremony) = self.authenticationOptions(allowing: allowed, user: user, request: request)
            try await transaction.insert(ceremony)
            return AuthenticationStart(ceremony: ceremony.id, options: options)
        }
    }

    /// Answers a sign-in in one trip to the store.
    ///
    /// - Parameters:
    ///   - ceremony: What the page gave back.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: Where ceremony and credentials are kept.
    /// - Returns: The verified sign-in; its record is written back.
    /// - Throws: ``VerificationError`` when it must not be accepted, `WebAuthnError` when it cannot be read, or what the
    ///   store throws.
    public func finishAuthentication(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: some CredentialStore
    ) async throws -> VerifiedAuthentication {
        try await finishAuthentication(ceremony, json, in: store, keeping: { _, _ in }).verified
    }

    /// Answers a sign-in in one trip to a store that keeps more than the record.
    ///
    /// - Parameters:
    ///   - ceremony: What the page gave back.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: Where ceremony and credentials are kept.
    ///   - decoys: What names without an account were answered with.
    ///   - keeping: Called after every check with the entry as it will be written, the new record in it. It throws
    ///     ``CeremonyRefusal`` to refuse.
    /// - Returns: The verified sign-in, and the entry as it is written back.
    /// - Throws: ``VerificationError`` when it must not be accepted, `WebAuthnError` when it cannot be read, or what the
    ///   store throws.
    public func finishAuthentication<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store,
        decoys: DecoyCredentials? = nil,
        keeping: @escaping @Sendable (inout Store.Transaction.Credential, VerifiedAuthentication) async throws -> Void
    ) async throws -> (verified: VerifiedAuthentication, credential: Store.Transaction.Credential) {
        let response = try AuthenticationResponse(json: json)
        return try await store.withTransaction { transaction in
            try await self.finishAuthentication(ceremony, response, in: transaction, decoys: decoys, keeping: keeping)
        }.get()
    }
}
