public import Foundation

/// Identifies a credential.
public protocol ASAuthorizationPublicKeyCredentialDescriptor: NSObjectProtocol {
    /// The credential ID, 1 to 1,023 bytes.
    var credentialID: Data { get set }
}

/// A request to create a credential.
public protocol ASAuthorizationPublicKeyCredentialRegistrationRequest: NSObjectProtocol {
    /// The RP ID.
    var relyingPartyIdentifier: String { get }
    /// The account's user handle, 1 to 64 bytes.
    var userID: Data { get set }
    /// The user name, which distinguishes accounts in a list.
    var name: String { get set }
    /// The display name; default: ``name``.
    var displayName: String? { get set }
    /// The service's challenge, 16 to 1,024 bytes.
    var challenge: Data { get set }
    /// Whether user verification is wanted.
    var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get set }
    /// The requested attestation.
    var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind { get set }
}

/// A request to use a credential.
public protocol ASAuthorizationPublicKeyCredentialAssertionRequest: NSObjectProtocol {
    /// The service's challenge, 16 to 1,024 bytes.
    var challenge: Data { get set }
    /// The RP ID.
    var relyingPartyIdentifier: String { get set }
    /// The allowed credentials; an empty list allows any discoverable one.
    var allowedCredentials: [any ASAuthorizationPublicKeyCredentialDescriptor] { get set }
    /// Whether user verification is wanted.
    var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get set }
}

/// A response of an authenticator.
public protocol ASPublicKeyCredential: ASAuthorizationCredential {
    /// The client data.
    ///
    /// The agent wrote the client data, with the app's origin.
    var rawClientDataJSON: Data { get }
    /// The credential ID.
    var credentialID: Data { get }
}

/// A new credential.
public protocol ASAuthorizationPublicKeyCredentialRegistration: ASPublicKeyCredential {
    /// The attestation object. In Ward it is never `nil`.
    var rawAttestationObject: Data? { get }
}

/// A sign-in with a credential.
public protocol ASAuthorizationPublicKeyCredentialAssertion: ASPublicKeyCredential {
    // Both `let signature = assertion.signature!` and `assertion.signature` where data is wanted are written for these.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The authenticator data. In Ward it is never `nil`.
    var rawAuthenticatorData: Data! { get }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The user handle, or `nil` if a security key did not return one.
    var userID: Data! { get }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The signature. In Ward it is never `nil`.
    var signature: Data! { get }
}
