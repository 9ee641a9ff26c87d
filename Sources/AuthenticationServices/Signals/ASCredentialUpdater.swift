public import Foundation
internal import WardAgentClient
internal import WardText
internal import WardWebAuthn

/// Reports changes of credentials to credential managers.
///
/// As on Apple's platforms, success only means that the report was valid. It does not mean that a manager changed anything.
public final class ASCredentialUpdater: Sendable {
    /// Creates an updater.
    public init() {}

    /// Reports all passkeys of an account.
    ///
    /// Managers hide all other passkeys of the account.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - userHandle: The account's user handle.
    ///   - acceptedCredentialIDs: The IDs of all passkeys of the account. Managers hide every passkey that is missing
    ///     here.
    /// - Throws: ``ASAuthorizationError`` if the report is invalid, the domain does not list the app, or no agent runs.
    public func reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) async throws {
        var accepted: [CredentialID] = []
        for id in acceptedCredentialIDs { accepted.append(try id.asCredentialID()) }
        let options = AllAcceptedCredentialsOptions(
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            userID: try userHandle.asUserHandle(),
            allAcceptedCredentialIDs: accepted
        )
        try await report(.allAcceptedCredentials, options.value)
    }

    /// Reports the current user name of an account.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - userHandle: The account's user handle.
    ///   - newName: The new user name.
    /// - Throws: ``ASAuthorizationError`` if the report is invalid, the domain does not list the app, or no agent runs.
    public func reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: String,
        userHandle: Data,
        newName: String
    ) async throws {
        let options = CurrentUserDetailsOptions(
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            user: .init(id: try userHandle.asUserHandle(), name: newName, displayName: newName)
        )
        try await report(.currentUserDetails, options.value)
    }

    /// Reports a passkey that the service does not know, for example after a failed sign-in.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - credentialID: The credential ID.
    /// - Throws: ``ASAuthorizationError`` if the report is invalid, the domain does not list the app, or no agent runs.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        let options = UnknownCredentialOptions(
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            credentialID: try credentialID.asCredentialID()
        )
        try await report(.unknownCredential, options.value)
    }

    /// Reports that an account no longer has a password.
    ///
    /// - Parameters:
    ///   - domain: The domain of the password.
    ///   - userName: The account's user name.
    /// - Throws: ``ASAuthorizationError`` if the report is invalid, the domain does not list the app, or no agent runs.
    public func reportUnusedPasswordCredential(domain: String, userName: String) async throws {
        let options: JSONValue = [
            "rpId": .string(try domain.asRelyingPartyIdentifier()), "name": .string(userName),
        ]
        try await report(.unusedPassword, options)
    }

    private func report(_ kind: SignalFromApp.Kind, _ options: JSONValue) async throws(ASAuthorizationError) {
        _ = try await AgentGateway.current.call(SignalFromApp(kind, options: options.text))
    }
}
