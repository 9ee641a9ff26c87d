public import Foundation

/// Outputs of extensions of a sign-in.
public struct ASPasskeyAssertionCredentialExtensionOutput: Sendable {
    /// largeBlob.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput?
    /// prf.
    public let prf: ASAuthorizationPublicKeyCredentialPRFAssertionOutput?

    /// Creates one from its parts.
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

    /// Creates one from its parts.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// A signature with a passkey, as a credential manager answers it.
///
/// The agent checks it: that the authenticator data is for the RP ID, that its flags say what the person did, that the credential is the
/// one that was asked for, and the signature where the key is known.
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
    /// Outputs of extensions; only for a manager whose declaration has them.
    public let extensionOutput: ASPasskeyAssertionCredentialExtensionOutput?

    /// Creates one from its parts.
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

/// A new passkey, as a credential manager answers it.
public final class ASPasskeyRegistrationCredential: NSObject, ASAuthorizationCredential, Sendable {
    /// The RP ID.
    public let relyingParty: String
    /// SHA-256 of the client data, as it was in the request.
    public let clientDataHash: Data
    /// The credential ID.
    public let credentialID: Data
    /// The attestation object (WebAuthn Level 3, §6.5.4).
    public let attestationObject: Data
    /// Outputs of extensions; only for a manager whose declaration has them.
    public let extensionOutput: ASPasskeyRegistrationCredentialExtensionOutput?

    /// Creates one from its parts.
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
