public import Foundation
internal import WardWebAuthn

/// A passkey that was made: what the app sends to its service.
public final class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject,
    ASAuthorizationPublicKeyCredentialRegistration, Sendable
{
    private let response: RegistrationResponse

    /// The attestation object; always there here.
    public var rawAttestationObject: Data? { Data(response.attestationObject) }
    /// The client data, which the agent made: its origin is the app's.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The passkey.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Where it lives.
    public var attachment: ASAuthorizationPublicKeyCredentialAttachment {
        .init(response.authenticatorAttachment)
    }
    /// The largeBlob extension, if it was asked for and is known.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput? {
        response.clientExtensionResults.largeBlob.map { .init($0) }
    }
    /// The prf extension, if it was asked for and is known.
    public var prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput? {
        response.clientExtensionResults.prf.map { .init($0) }
    }

    init(_ response: RegistrationResponse) { self.response = response }
}

/// A sign-in with a passkey: what the app sends to its service.
public final class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject,
    ASAuthorizationPublicKeyCredentialAssertion, Sendable
{
    private let response: AuthenticationResponse

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The authenticator data; always there here.
    public var rawAuthenticatorData: Data! { Data(response.authenticatorData) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The signature; always there here.
    public var signature: Data! { Data(response.signature) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The user handle; always there for passkeys.
    public var userID: Data! { response.userHandle.map { Data($0.bytes) } }
    /// The client data, which the agent made: its origin is the app's.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The passkey.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Where it lives.
    public var attachment: ASAuthorizationPublicKeyCredentialAttachment {
        .init(response.authenticatorAttachment)
    }
    /// The largeBlob extension, if it was asked for and is known.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput? {
        response.clientExtensionResults.largeBlob.map { .init($0) }
    }
    /// The prf extension, if it was asked for and is known.
    public var prf: ASAuthorizationPublicKeyCredentialPRFAssertionOutput? {
        response.clientExtensionResults.prf.flatMap { .init($0) }
    }

    init(_ response: AuthenticationResponse) { self.response = response }
}
