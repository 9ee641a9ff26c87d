public import WardWebAuthn

extension RelyingParty {
    /// What to signal when somebody offers a credential that this service does not know.
    public func unknownCredentialSignal(_ id: CredentialID) -> UnknownCredentialOptions {
        .init(rpID: self.id.description, credentialID: id)
    }

    /// What to signal to a signed-in person after a sign-in, and after a credential was deleted.
    ///
    /// - Parameters:
    ///   - user: The account.
    ///   - credentials: All of its credentials, as the store has them.
    /// - Returns: The options of `signalAllAcceptedCredentials`.
    public func acceptedCredentialsSignal(
        of user: UserHandle,
        _ credentials: [CredentialRecord]
    ) -> AllAcceptedCredentialsOptions {
        .init(rpID: id.description, userID: user, allAcceptedCredentialIDs: credentials.map(\.id))
    }

    /// What to signal to a signed-in person after a change of names.
    public func currentUserDetailsSignal(_ user: PublicKeyCredentialUserEntity) -> CurrentUserDetailsOptions {
        .init(rpID: id.description, user: user)
    }
}
