public import Foundation
internal import WardWebAuthn

/// A new credential on a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialRegistration: NSObject,
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
    /// The transports of the security key.
    public var transports: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport] {
        response.transports.map { .init($0.rawValue) }
    }

    init(_ response: RegistrationResponse) { self.response = response }
}

/// A sign-in with a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialAssertion: NSObject,
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
    /// The user handle, or `nil` if the security key did not return one.
    public var userID: Data! { response.userHandle.map { Data($0.bytes) } }
    /// The client data.
    ///
    /// The agent wrote the client data, with the app's origin.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The credential ID.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Whether the AppID was used instead of the RP ID.
    public var appID: Bool { response.clientExtensionResults.appID ?? false }

    init(_ response: AuthenticationResponse) { self.response = response }
}
