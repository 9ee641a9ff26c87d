public import Foundation

/// Tells credential managers what became of credentials, and has them keep a password.
///
/// On Apple's platforms it is a value of SwiftUI's environment; here it is made with ``init()``.
@MainActor
public struct CredentialDataManager: Sendable {
    private let updater = ASCredentialUpdater()

    /// Makes one.
    public nonisolated init() {}

    /// As ``ASCredentialUpdater/reportAllAcceptedPublicKeyCredentials(relyingPartyIdentifier:userHandle:acceptedCredentialIDs:)``.
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

    /// As ``ASCredentialUpdater/reportPublicKeyCredentialUpdate(relyingPartyIdentifier:userHandle:newName:)``.
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

    /// As ``ASCredentialUpdater/reportUnknownPublicKeyCredential(relyingPartyIdentifier:credentialID:)``.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        try await updater.reportUnknownPublicKeyCredential(
            relyingPartyIdentifier: relyingPartyIdentifier,
            credentialID: credentialID
        )
    }

    /// As ``ASCredentialUpdater/reportUnusedPasswordCredential(domain:userName:)``.
    public func reportUnusedPasswordCredential(domain: String, userName: String) async throws {
        try await updater.reportUnusedPasswordCredential(domain: domain, userName: userName)
    }

    /// Has the person's credential manager keep a password, after asking them.
    ///
    /// - Parameters:
    ///   - password: The user name and its password.
    ///   - scope: What it is for: its host must name the app.
    ///   - title: What to call it; the host where it is absent.
    /// - Throws: ``ASAuthorizationError``: ``ASAuthorizationError/canceled`` when the person does not want it.
    public func save(password: ASPasswordCredential, for scope: ASAutoFillURLScope, title: String? = nil) async throws {
        try await AgentGateway.current.save(password, scope, title)
    }
}

/// As ``CredentialDataManager``, with a window to show questions over.
public final class ASCredentialDataManager: NSObject, Sendable {
    private let updater = ASCredentialUpdater()

    /// Makes one.
    public override init() { super.init() }

    /// As ``ASCredentialUpdater/reportAllAcceptedPublicKeyCredentials(relyingPartyIdentifier:userHandle:acceptedCredentialIDs:)``.
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

    /// As ``ASCredentialUpdater/reportPublicKeyCredentialUpdate(relyingPartyIdentifier:userHandle:newName:)``.
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

    /// As ``ASCredentialUpdater/reportUnknownPublicKeyCredential(relyingPartyIdentifier:credentialID:)``.
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {
        try await updater.reportUnknownPublicKeyCredential(
            relyingPartyIdentifier: relyingPartyIdentifier,
            credentialID: credentialID
        )
    }

    /// As ``ASCredentialUpdater/reportUnusedPasswordCredential(domain:userName:)``.
    public func reportUnusedPasswordCredential(domain: String, userName: String) async throws {
        try await updater.reportUnusedPasswordCredential(domain: domain, userName: userName)
    }

    /// As ``CredentialDataManager/save(password:for:title:)``; the agent's question has a window of its own.
    public func save(
        password: ASPasswordCredential,
        for scope: ASAutoFillURLScope,
        title: String? = nil,
        anchor: ASPresentationAnchor
    ) async throws {
        try await AgentGateway.current.save(password, scope, title)
    }
}
