public import WardWebAuthn

extension RelyingParty {
    /// The signal for a person who tried a credential that this service does not know.
    public func unknownCredentialSignal(_ id: CredentialID) -> UnknownCredentialOptions {
        .init(rpID: self.id.description, credentialID: id)
    }

    /// The signal for a signed-in person, after a sign-in or after a credential was deleted.
    ///
    /// - Parameters:
    ///   - user: The account.
    ///   - credentials: All credentials of the account in the store.
    /// - Returns: The options of `signalAllAcceptedCredentials`.
    public func acceptedCredentialsSignal(
        of user: UserHandle,
        _ credentials: [CredentialRecord]
    ) -> AllAcceptedCredentialsOptions {
        .init(rpID: id.description, userID: user, allAcceptedCredentialIDs: credentials.map(\.id))
    }

    /// The signal for a signed-in person after a change of names.
    public func currentUserDetailsSignal(_ user: PublicKeyCredentialUserEntity) -> CurrentUserDetailsOptions {
        .init(rpID: id.description, user: user)
    }
}
