public import Foundation

/// Reports changes of credentials to credential managers, and saves passwords.
///
/// On Apple's platforms it is a value of SwiftUI's environment; here you create it with ``init()``.
@MainActor
public struct CredentialDataManager: Sendable {
    private let updater = ASCredentialUpdater()

    /// Creates a manager.
    public nonisolated init() {}

    /// See
    /// ``ASCredentialUpdater/reportAllAcceptedPublicKeyCredentials(relyingPartyIdentifier:userHandle:acceptedCredentialIDs:)``.
    public func reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) async throws {
        try await updater.reportAllAcceptedPublicKeyCredentials(
            relyingPartyIdentifier: relyingPartyIdentifier,
            userHandle: userHandle,
            acceptedCredentialIDs: acceptedCredentialIDs
        )
    }

    /// See ``ASCredentialUpdater/reportPublicKeyCredentialUpdate(relyingPartyIdentifier:userHandle:newName:)``.
    public func reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: String,
        userHandle: Data,
        newName: String
    ) async throws {
        try await updater.reportPublicKeyCredentialUpdate(
            relyingPartyIdentifier: relyingPartyIdentifier,
            userHandle: userHandle,
            newName: newName
        )
    }

    /// See ``ASCredentialUpdater/reportUnknownPublicKeyCredential(relyingPartyIdentifier:credentialID:)``.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        try await updater.reportUnknownPublicKeyCredential(
            relyingPartyIdentifier: relyingPartyIdentifier,
            credentialID: credentialID
        )
    }

    /// See ``ASCredentialUpdater/reportUnusedPasswordCredential(domain:userName:)``.
    public func reportUnusedPasswordCredential(domain: String, userName: String) async throws {
        try await updater.reportUnusedPasswordCredential(domain: domain, userName: userName)
    }

    /// Saves a password in the person's credential manager, after a prompt.
    ///
    /// - Parameters:
    ///   - password: The user name and password.
    ///   - scope: The URL of the password; its host must list the app.
    ///   - title: The title; default: the host.
    /// - Throws: ``ASAuthorizationError``; ``ASAuthorizationError/canceled`` if the person declined.
    public func save(password: ASPasswordCredential, for scope: ASAutoFillURLScope, title: String? = nil) async throws {
        try await AgentGateway.current.save(password, scope, title)
    }
}

/// The same as ``CredentialDataManager``, with a window for prompts.
public final class ASCredentialDataManager: NSObject, Sendable {
    private let updater = ASCredentialUpdater()

    /// Creates a manager.
    public override init() { super.init() }

    /// See
    /// ``ASCredentialUpdater/reportAllAcceptedPublicKeyCredentials(relyingPartyIdentifier:userHandle:acceptedCredentialIDs:)``.
    public func reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) async throws {
        try await updater.reportAllAcceptedPublicKeyCredentials(
            relyingPartyIdentifier: relyingPartyIdentifier,
            userHandle: userHandle,
            acceptedCredentialIDs: acceptedCredentialIDs
        )
    }

    /// See ``ASCredentialUpdater/reportPublicKeyCredentialUpdate(relyingPartyIdentifier:userHandle:newName:)``.
    public func reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: String,
        userHandle: Data,
        newName: String
    ) async throws {
        try await updater.reportPublicKeyCredentialUpdate(
            relyingPartyIdentifier: relyingPartyIdentifier,
            userHandle: userHandle,
            newName: newName
        )
    }

    /// See ``ASCredentialUpdater/reportUnknownPublicKeyCredential(relyingPartyIdentifier:credentialID:)``.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        try await updater.reportUnknownPublicKeyCredential(
            relyingPartyIdentifier: relyingPartyIdentifier,
            credentialID: credentialID
        )
    }

    /// See ``ASCredentialUpdater/reportUnusedPasswordCredential(domain:userName:)``.
    public func reportUnusedPasswordCredential(domain: String, userName: String) async throws {
        try await updater.reportUnusedPasswordCredential(domain: domain, userName: userName)
    }

    /// See ``CredentialDataManager/save(password:for:title:)``.
    ///
    /// The agent shows the prompt in its own window.
    public func save(
        password: ASPasswordCredential,
        for scope: ASAutoFillURLScope,
        title: String? = nil,
        anchor: ASPresentationAnchor
    ) async throws {
        try await AgentGateway.current.save(password, scope, title)
    }
}
