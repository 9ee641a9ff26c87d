public import WardWebAuthn

/// The data for a page to begin a registration.
public struct RegistrationStart: Sendable {
    /// The ceremony's ID, which the page sends back with its answer.
    public let ceremony: CeremonyID
    /// The options for `navigator.credentials.create`.
    public let options: PublicKeyCredentialCreationOptions
}

/// The data for a page to begin a sign-in.
public struct AuthenticationStart: Sendable {
    /// The ceremony's ID, which the page sends back with its answer.
    public let ceremony: CeremonyID
    /// The options for `navigator.credentials.get`.
    public let options: PublicKeyCredentialRequestOptions
}

extension RelyingParty {
    /// Begins a registration and stores the ceremony.
    ///
    /// The account's existing credentials are excluded.
    ///
    /// - Parameters:
    ///   - user: The account. Its ID is the user handle: random bytes, not a name.
    ///   - store: The store for ceremonies and credentials.
    ///   - request: Further options.
    /// - Returns: The data for the page.
    /// - Throws: The store's errors.
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

    /// Finishes a registration in one transaction of the store.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: The store for ceremonies and credentials.
    /// - Returns: The verified registration; its record is stored.
    /// - Throws: ``VerificationError`` if the registration is refused, `WebAuthnError` if the answer is malformed, or
    ///   the store's errors.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store
    ) async throws -> VerifiedRegistration where Store.Transaction.Credential == CredentialRecord {
        try await finishRegistration(ceremony, json, in: store, keeping: { $0.credential }).verified
    }

    /// Finishes a registration in one transaction of a store that stores more than the record.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: The store for ceremonies and credentials.
    ///   - keeping: Called after all checks. It makes the entry to store, or throws ``CeremonyRefusal`` to refuse.
    /// - Returns: The verified registration and the stored entry.
    /// - Throws: ``VerificationError`` if the registration is refused, `WebAuthnError` if the answer is malformed, or
    ///   the store's errors.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store,
        keeping: @escaping @Sendable (VerifiedRegistration) async throws -> Store.Transaction.Credential
    ) async throws -> (verified: VerifiedRegistration, credential: Store.Transaction.Credential) {
        try await finishRegistration(ceremony, RegistrationResponse(json: json), in: store, keeping: keeping)
    }

    /// Finishes a registration in one transaction of a store.
    ///
    /// The answer is already decoded.
    ///
    /// This is for services that have the answer inside a message of their own; `RegistrationResponse` is `Codable`.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - store: The store for ceremonies and credentials.
    ///   - keeping: Called after all checks. It makes the entry to store, or throws ``CeremonyRefusal`` to refuse.
    /// - Returns: The verified registration and the stored entry.
    /// - Throws: ``VerificationError`` if the registration is refused, or the store's errors.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ response: RegistrationResponse,
        in store: Store,
        keeping: @escaping @Sendable (VerifiedRegistration) async throws -> Store.Transaction.Credential
    ) async throws -> (verified: VerifiedRegistration, credential: Store.Transaction.Credential) {
        try await store.withTransaction { transaction in
            try await self.finishRegistration(ceremony, response, in: transaction, keeping: keeping)
        }.get()
    }

    /// Finishes a registration in one transaction of a store of records.
    ///
    /// The answer is already decoded.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - store: The store for ceremonies and credentials.
    /// - Returns: The verified registration; its record is stored.
    /// - Throws: ``VerificationError`` if the registration is refused, or the store's errors.
    public func finishRegistration<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ response: RegistrationResponse,
        in store: Store
    ) async throws -> VerifiedRegistration where Store.Transaction.Credential == CredentialRecord {
        try await finishRegistration(ceremony, response, in: store, keeping: { $0.credential }).verified
    }

    /// Begins a sign-in and stores the ceremony.
    ///
    /// - Parameters:
    ///   - user: The account of a typed name; `nil` allows any discoverable credential. For an unknown name, use
    /// ``DecoyCredentials`` with ``authenticationOptions(allowing:user:request:)`` instead.
    ///   - store: The store for ceremonies and credentials.
    ///   - request: Further options.
    /// - Returns: The data for the page.
    /// - Throws: The store's errors.
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

    /// Finishes a sign-in in one transaction of the store.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: The store for ceremonies and credentials.
    /// - Returns: The verified sign-in; its record is updated in the store.
    /// - Throws: ``VerificationError`` if the sign-in is refused, `WebAuthnError` if the answer is malformed, or the
    ///   store's errors.
    public func finishAuthentication(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: some CredentialStore
    ) async throws -> VerifiedAuthentication {
        try await finishAuthentication(ceremony, json, in: store, keeping: { _, _ in }).verified
    }

    /// Finishes a sign-in in one transaction of a store that stores more than the record.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - json: The client's answer: the text of `credential.toJSON()`.
    ///   - store: The store for ceremonies and credentials.
    ///   - decoys: The decoys that unknown names were answered with.
    ///   - keeping: Called after all checks with the updated entry, before it is stored. It can change the entry, or
    ///     throw
    /// ``CeremonyRefusal`` to refuse.
    ///
    /// - Returns: The verified sign-in and the stored entry.
    /// - Throws: ``VerificationError`` if the sign-in is refused, `WebAuthnError` if the answer is malformed, or the
    ///   store's errors.
    public func finishAuthentication<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: Store,
        decoys: DecoyCredentials? = nil,
        keeping: @escaping @Sendable (inout Store.Transaction.Credential, VerifiedAuthentication) async throws -> Void
    ) async throws -> (verified: VerifiedAuthentication, credential: Store.Transaction.Credential) {
        try await finishAuthentication(
            ceremony,
            AuthenticationResponse(json: json),
            in: store,
            decoys: decoys,
            keeping: keeping
        )
    }

    /// Finishes a sign-in in one transaction of a store.
    ///
    /// The answer is already decoded.
    ///
    /// This is for services that have the answer inside a message of their own; `AuthenticationResponse` is `Codable`.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony's ID from the page.
    ///   - response: The client's answer.
    ///   - store: The store for ceremonies and credentials.
    ///   - decoys: The decoys that unknown names were answered with.
    ///   - keeping: Called after all checks with the updated entry, before it is stored. It can change the entry, or
    ///     throw ``CeremonyRefusal`` to refuse.
    /// - Returns: The verified sign-in and the stored entry.
    /// - Throws: ``VerificationError`` if the sign-in is refused, or the store's errors.
    public func finishAuthentication<Store: CredentialStore>(
        _ ceremony: CeremonyID,
        _ response: AuthenticationResponse,
        in store: Store,
        decoys: DecoyCredentials? = nil,
        keeping: @escaping @Sendable (inout Store.Transaction.Credential, VerifiedAuthentication) async throws -> Void =
            { _, _ in }
    ) async throws -> (verified: VerifiedAuthentication, credential: Store.Transaction.Credential) {
        try await store.withTransaction { transaction in
            try await self.finishAuthentication(ceremony, response, in: transaction, decoys: decoys, keeping: keeping)
        }.get()
    }
}
