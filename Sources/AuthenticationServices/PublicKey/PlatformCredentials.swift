public import Foundation
internal import WardWebAuthn

/// A new passkey: the data for the app's service.
public final class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject,
    ASAuthorizationPublicKeyCredentialRegistration, Sendable
{
    private let response: RegistrationResponse

    /// The attestation object.
    ///
    /// In Ward it is never `nil`.
    public var rawAttestationObject: Data? { Data(response.attestationObject) }
    /// The client data.
    ///
    /// The agent wrote the client data, with the app's origin.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The credential ID.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Where the passkey is stored.
    public var attachment: ASAuthorizationPublicKeyCredentialAttachment {
        .init(response.authenticatorAttachment)
    }
    /// The output of the largeBlob extension, if it was requested and supported.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput? {
        response.clientExtensionResults.largeBlob.map { .init($0) }
    }
    /// The output of the prf extension, if it was requested and supported.
    public var prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput? {
        response.clientExtensionResults.prf.map { .init($0) }
    }

    init(_ response: RegistrationResponse) { self.response = response }
}

/// A sign-in with a passkey: the data for the app's service.
public final class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject,
    ASAuthorizationPublicKeyCredentialAssertion, Sendable
{
    private let response: AuthenticationResponse

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The authenticator data.
    ///
    /// In Ward it is never `nil`.
    public var rawAuthenticatorData: Data! { Data(response.authenticatorData) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The signature.
    ///
    /// In Ward it is never `nil`.
    public var signature: Data! { Data(response.signature) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The user handle.
    ///
    /// For passkeys it is never `nil`.
    public var userID: Data! { response.userHandle.map { Data($0.bytes) } }
    /// The client data.
    ///
    /// The agent wrote the client data, with the app's origin.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The credential ID.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Where the passkey is stored.
    public var attachment: ASAuthorizationPublicKeyCredentialAttachment {
        .init(response.authenticatorAttachment)
    }
    /// The output of the largeBlob extension, if it was requested and supported.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput? {
        response.clientExtensionResults.largeBlob.map { .init($0) }
    }
    /// The output of the prf extension, if it was requested and supported.
    public var prf: ASAuthorizationPublicKeyCredentialPRFAssertionOutput? {
        response.clientExtensionResults.prf.flatMap { .init($0) }
    }

    init(_ response: AuthenticationResponse) { self.response = response }
}
