public import Foundation

/// Outputs of extensions of a sign-in.
public struct ASPasskeyAssertionCredentialExtensionOutput: Sendable {
    /// largeBlob.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput?
    /// prf.
    public let prf: ASAuthorizationPublicKeyCredentialPRFAssertionOutput?

    /// Creates a value from its parts.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFAssertionOutput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// Outputs of extensions of a new passkey.
public struct ASPasskeyRegistrationCredentialExtensionOutput: Sendable {
    /// largeBlob.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput?
    /// prf.
    public let prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput?

    /// Creates a value from its parts.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// A credential manager's answer to a sign-in: a signature with a passkey.
///
/// The agent checks four things: the RP ID in the authenticator data, the flags (they must match what the person did), the
/// credential (it must be the requested one), and the signature if the public key is known.
public final class ASPasskeyAssertionCredential: NSObject, ASAuthorizationCredential, Sendable {
    /// The user handle.
    public let userHandle: Data
    /// The RP ID.
    public let relyingParty: String
    /// The signature over ``authenticatorData`` followed by ``clientDataHash``.
    public let signature: Data
    /// SHA-256 of the client data, as it was in the request.
    public let clientDataHash: Data
    /// The authenticator data (WebAuthn Level 3, §6.1).
    public let authenticatorData: Data
    /// The credential ID.
    public let credentialID: Data
    /// Outputs of extensions.
    ///
    /// Only managers whose declaration has extensions send them.
    public let extensionOutput: ASPasskeyAssertionCredentialExtensionOutput?

    /// Creates a value from its parts.
    public init(
        userHandle: Data,
        relyingParty: String,
        signature: Data,
        clientDataHash: Data,
        authenticatorData: Data,
        credentialID: Data,
        extensionOutput: ASPasskeyAssertionCredentialExtensionOutput? = nil
    ) {
        self.userHandle = userHandle
        self.relyingParty = relyingParty
        self.signature = signature
        self.clientDataHash = clientDataHash
        self.authenticatorData = authenticatorData
        self.credentialID = credentialID
        self.extensionOutput = extensionOutput
    }
}

/// A credential manager's answer to a registration: a new passkey.
public final class ASPasskeyRegistrationCredential: NSObject, ASAuthorizationCredential, Sendable {
    /// The RP ID.
    public let relyingParty: String
    /// SHA-256 of the client data, as it was in the request.
    public let clientDataHash: Data
    /// The credential ID.
    public let credentialID: Data
    /// The attestation object (WebAuthn Level 3, §6.5.4).
    public let attestationObject: Data
    /// Outputs of extensions.
    ///
    /// Only managers whose declaration has extensions send them.
    public let extensionOutput: ASPasskeyRegistrationCredentialExtensionOutput?

    /// Creates a value from its parts.
    public init(
        relyingParty: String,
        clientDataHash: Data,
        credentialID: Data,
        attestationObject: Data,
        extensionOutput: ASPasskeyRegistrationCredentialExtensionOutput? = nil
    ) {
        self.relyingParty = relyingParty
        self.clientDataHash = clientDataHash
        self.credentialID = credentialID
        self.attestationObject = attestationObject
        self.extensionOutput = extensionOutput
    }
}
