public import Foundation
internal import WardWebAuthn

/// A credential that was made on a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialRegistration: NSObject,
    ASAuthorizationPublicKeyCredentialRegistration, Sendable
{
    private let response: RegistrationResponse

    /// The attestation object; always there here.
    public var rawAttestationObject: Data? { Data(response.attestationObject) }
    /// The client data, which the agent made: its origin is the app's.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The credential.
    public var credentialID: Data { Data(response.id.bytes) }
    /// How the security key is reached.
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
    /// The authenticator data; always there here.
    public var rawAuthenticatorData: Data! { Data(response.authenticatorData) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The signature; always there here.
    public var signature: Data! { Data(response.signature) }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The user handle; `nil` when the security key did not give one.
    public var userID: Data! { response.userHandle.map { Data($0.bytes) } }
    /// The client data, which the agent made: its origin is the app's.
    public var rawClientDataJSON: Data { Data(response.clientDataJSON) }
    /// The credential.
    public var credentialID: Data { Data(response.id.bytes) }
    /// Whether the AppID was used in place of the RP ID.
    public var appID: Bool { response.clientExtensionResults.appID ?? false }

    init(_ response: AuthenticationResponse) { self.response = response }
}
