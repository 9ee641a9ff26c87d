public import Foundation
internal import WardAgentClient
internal import WardWebAuthn

/// Tells credential managers what became of credentials.
///
/// As on Apple's platforms, success says only that the report was well formed; it never says what a manager holds.
public final class ASCredentialUpdater: Sendable {
    /// Makes an updater.
    public init() {}

    /// Reports every passkey that an account has, so that managers hide the others.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - userHandle: The account's user handle.
    ///   - acceptedCredentialIDs: All of the account's passkeys: one left out is lost to the person.
    /// - Throws: ``ASAuthorizationError`` when it is not well formed, the domain does not name the app, or no agent runs.
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

    /// Reports an account's present user name.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - userHandle: The account's user handle.
    ///   - newName: Its user name from now on.
    /// - Throws: ``ASAuthorizationError`` when it is not well formed, the domain does not name the app, or no agent runs.
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

    /// Reports a passkey that the service does not know, such as one that a sign-in just failed with.
    ///
    /// - Parameters:
    ///   - relyingPartyIdentifier: The RP ID.
    ///   - credentialID: The passkey.
    /// - Throws: ``ASAuthorizationError`` when it is not well formed, the domain does not name the app, or no agent runs.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        let options = UnknownCredentialOptions(
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            credentialID: try credentialID.asCredentialID()
        )
        try await report(.unknownCredential, options.value)
    }

    /// Reports that an account has no password any more.
    ///
    /// - Parameters:
    ///   - domain: The domain it was for.
    ///   - userName: The account's user name.
    /// - Throws: ``ASAuthorizationError`` when it is not well formed, the domain does not name the app, or no agent runs.
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
