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
            let existing = try transaction.credentials(of: user.id).map(\.descriptor)
            let (options, ceremony) = self.registrationOptions(for: user, excluding: existing, request: request)
            try transaction.insert(ceremony)
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
    public func finishRegistration(
        _ ceremony: CeremonyID,
        _ json: [UInt8],
        in store: some CredentialStore
    ) async throws -> VerifiedRegistration {
        let response = try RegistrationResponse(json: json)
        return try await store.withTransaction { transaction in
            try self.finishRegistration(ceremony, response, in: transaction)
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
            let allowed = try user.map { try transaction.credentials(of: $0).map(\.descriptor) } ?? []
            let (options, ceremony) = self.authenticationOptions(allowing: allowed, user: user, request: request)
            try transaction.insert(ceremony)
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
        let response = try AuthenticationResponse(json: json)
        return try await store.withTransaction { transaction in
            try self.finishAuthentication(ceremony, response, in: transaction)
        }.get()
    }
}
