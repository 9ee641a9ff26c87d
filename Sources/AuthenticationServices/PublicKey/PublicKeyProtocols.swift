public import Foundation

/// What names a credential.
public protocol ASAuthorizationPublicKeyCredentialDescriptor: NSObjectProtocol {
    /// Its identifier, 1 to 1,023 bytes.
    var credentialID: Data { get set }
}

/// A request to make a credential.
public protocol ASAuthorizationPublicKeyCredentialRegistrationRequest: NSObjectProtocol {
    /// The RP ID.
    var relyingPartyIdentifier: String { get }
    /// The account's user handle, 1 to 64 bytes.
    var userID: Data { get set }
    /// What tells accounts apart in a list.
    var name: String { get set }
    /// What the person calls themselves; ``name`` where it is absent.
    var displayName: String? { get set }
    /// The service's challenge, 16 to 1,024 bytes.
    var challenge: Data { get set }
    /// Whether the person shall be verified.
    var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get set }
    /// Which statement about the authenticator is wanted.
    var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind { get set }
}

/// A request to use a credential.
public protocol ASAuthorizationPublicKeyCredentialAssertionRequest: NSObjectProtocol {
    /// The service's challenge, 16 to 1,024 bytes.
    var challenge: Data { get set }
    /// The RP ID.
    var relyingPartyIdentifier: String { get set }
    /// The credentials that may answer; none means any discoverable one.
    var allowedCredentials: [any ASAuthorizationPublicKeyCredentialDescriptor] { get set }
    /// Whether the person shall be verified.
    var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get set }
}

/// The answer of an authenticator.
public protocol ASPublicKeyCredential: ASAuthorizationCredential {
    /// The client data, which the agent made: its origin is the app's.
    var rawClientDataJSON: Data { get }
    /// The credential.
    var credentialID: Data { get }
}

/// A credential that was made.
public protocol ASAuthorizationPublicKeyCredentialRegistration: ASPublicKeyCredential {
    /// The attestation object; always there here.
    var rawAttestationObject: Data? { get }
}

/// A credential that was used.
public protocol ASAuthorizationPublicKeyCredentialAssertion: ASPublicKeyCredential {
    // Both `let signature = assertion.signature!` and `assertion.signature` where data is wanted are written for these.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The authenticator data; always there here.
    var rawAuthenticatorData: Data! { get }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The user handle; `nil` when a security key did not give one.
    var userID: Data! { get }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The signature; always there here.
    var signature: Data! { get }
}
