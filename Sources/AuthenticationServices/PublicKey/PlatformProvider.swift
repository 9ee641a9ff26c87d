public import Foundation

/// Makes requests for passkeys of one relying party.
///
/// On Apple's platforms the system checks with the app's entitlements that the app belongs to the domain. Here the
/// agent checks it, with the domain's `apple-app-site-association` file and the kernel's data about the process.
/// Requests for a domain that does not list the app end with ``ASAuthorizationError/failed`` and a sentence that says
/// what is missing.
public final class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    /// The RP ID, a domain that lists the app.
    public let relyingPartyIdentifier: String

    /// Creates a provider for an RP ID.
    public init(relyingPartyIdentifier: String) { self.relyingPartyIdentifier = relyingPartyIdentifier }

    /// Makes a request for a new passkey, with a prompt.
    ///
    /// - Parameters:
    ///   - challenge: The service's challenge, 16 to 1,024 bytes.
    ///   - name: The user name for lists.
    ///   - userID: The account's user handle, 1 to 64 bytes.
    /// - Returns: The request.
    public func createCredentialRegistrationRequest(
        challenge: Data,
        name: String,
        userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        createCredentialRegistrationRequest(challenge: challenge, name: name, userID: userID, requestStyle: .standard)
    }

    /// Makes a request for a new passkey.
    ///
    /// - Parameters:
    ///   - challenge: The service's challenge, 16 to 1,024 bytes.
    ///   - name: The user name for lists.
    ///   - userID: The account's user handle, 1 to 64 bytes.
    ///   - requestStyle: Whether to show a prompt.
    /// - Returns: The request.
    public func createCredentialRegistrationRequest(
        challenge: Data,
        name: String,
        userID: Data,
        requestStyle: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest.RequestStyle
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest(
            provider: self,
            challenge: challenge,
            name: name,
            userID: userID,
            requestStyle: requestStyle
        )
    }

    /// Makes a request to sign in with a passkey.
    ///
    /// - Parameter challenge: The service's challenge, 16 to 1,024 bytes.
    /// - Returns: The request.
    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        ASAuthorizationPlatformPublicKeyCredentialAssertionRequest(provider: self, challenge: challenge)
    }
}

/// Identifies a passkey.
public final class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject,
    ASAuthorizationPublicKeyCredentialDescriptor
{
    /// The credential ID, 1 to 1,023 bytes.
    public var credentialID: Data

    /// Creates a descriptor.
    public init(credentialID: Data) { self.credentialID = credentialID }
}
