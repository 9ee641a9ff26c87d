public import Foundation

/// What a manager is asked for.
public enum ASCredentialRequestType: Int, Sendable {
    /// A password.
    case password = 0
    /// A sign-in with a passkey.
    case passkeyAssertion = 1
    /// A new passkey.
    case passkeyRegistration = 2
    /// A code.
    case oneTimeCode = 3
}

/// A request to a manager for one credential.
public protocol ASCredentialRequest: NSObjectProtocol {
    /// What is asked for.
    var type: ASCredentialRequestType { get }
    /// Which.
    var credentialIdentity: any ASCredentialIdentity { get }
}

/// A request for a password.
public final class ASPasswordCredentialRequest: NSObject, ASCredentialRequest {
    /// A password.
    public var type: ASCredentialRequestType { .password }
    /// Which.
    public let credentialIdentity: any ASCredentialIdentity

    /// Takes what is asked for.
    public init(credentialIdentity: ASPasswordCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A request for a code.
public final class ASOneTimeCodeCredentialRequest: NSObject, ASCredentialRequest {
    /// A code.
    public var type: ASCredentialRequestType { .oneTimeCode }
    /// Which.
    public let credentialIdentity: any ASCredentialIdentity

    /// Takes what is asked for.
    public init(credentialIdentity: ASOneTimeCodeCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A code, as a manager answers it.
public final class ASOneTimeCodeCredential: NSObject, Sendable {
    /// The code.
    public let code: String

    /// Takes it.
    public init(code: String) { self.code = code }
}

/// Inputs of extensions for a sign-in.
public struct ASPasskeyAssertionCredentialExtensionInput: Hashable, Sendable {
    /// largeBlob.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput?
    /// prf.
    public let prf: ASAuthorizationPublicKeyCredentialPRFAssertionInput?

    /// Takes both.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFAssertionInput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// Inputs of extensions for a new passkey.
public struct ASPasskeyRegistrationCredentialExtensionInput: Hashable, Sendable {
    /// largeBlob.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput?
    /// prf.
    public let prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput?

    /// Takes both.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// Inputs of extensions, of whichever kind the request is.
public enum ASPasskeyCredentialExtensionInput: Hashable, Sendable {
    /// Those of a sign-in.
    case assertion(ASPasskeyAssertionCredentialExtensionInput)
    /// Those of a new passkey.
    case registration(ASPasskeyRegistrationCredentialExtensionInput)
}

/// A request for a passkey: the manager gets the hash of the client data, never the client data.
public final class ASPasskeyCredentialRequest: NSObject, ASCredentialRequest {
    /// A sign-in, or a new passkey.
    public let type: ASCredentialRequestType
    /// Which.
    public let credentialIdentity: any ASCredentialIdentity
    /// SHA-256 of the client data.
    public let clientDataHash: Data
    /// Whether the person shall be verified.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    /// The kinds of key that the service takes, best first.
    public let supportedAlgorithms: [ASCOSEAlgorithmIdentifier]
    /// Passkeys of the account: where one of them is, no second is made.
    public let excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
    /// Inputs of extensions.
    public let extensionInput: ASPasskeyCredentialExtensionInput?

    /// A request for a new passkey.
    public convenience init(
        credentialIdentity: ASPasskeyCredentialIdentity,
        clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        supportedAlgorithms: [ASCOSEAlgorithmIdentifier]
    ) {
        self.init(
            .passkeyRegistration,
            credentialIdentity,
            clientDataHash,
            userVerificationPreference,
            supportedAlgorithms,
            nil
        )
    }

    /// A request to sign in, with extensions.
    public convenience init(
        credentialIdentity: ASPasskeyCredentialIdentity,
        clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        supportedAlgorithms: [ASCOSEAlgorithmIdentifier],
        extensionInput: ASPasskeyAssertionCredentialExtensionInput?
    ) {
        self.init(
            .passkeyAssertion,
            credentialIdentity,
            clientDataHash,
            userVerificationPreference,
            supportedAlgorithms,
            extensionInput.map { .assertion($0) }
        )
    }

    /// A request for a new passkey, with extensions.
    public convenience init(
        credentialIdentity: ASPasskeyCredentialIdentity,
        clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        supportedAlgorithms: [ASCOSEAlgorithmIdentifier],
        extensionInput: ASPasskeyRegistrationCredentialExtensionInput?
    ) {
        self.init(
            .passkeyRegistration,
            credentialIdentity,
            clientDataHash,
            userVerificationPreference,
            supportedAlgorithms,
            extensionInput.map { .registration($0) }
        )
    }

    private init(
        _ type: ASCredentialRequestType,
        _ identity: ASPasskeyCredentialIdentity,
        _ clientDataHash: Data,
        _ verification: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        _ algorithms: [ASCOSEAlgorithmIdentifier],
        _ extensionInput: ASPasskeyCredentialExtensionInput?
    ) {
        self.type = type
        credentialIdentity = identity
        self.clientDataHash = clientDataHash
        userVerificationPreference = verification
        supportedAlgorithms = algorithms
        excludedCredentials = nil
        self.extensionInput = extensionInput
    }
}

/// What a manager is told when the person is to choose among its passkeys.
public final class ASPasskeyCredentialRequestParameters: NSObject, Sendable {
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// SHA-256 of the client data.
    public let clientDataHash: Data
    /// Whether the person shall be verified.
    public let userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    /// The passkeys that may answer; none means any.
    public let allowedCredentials: [Data]
    /// Inputs of extensions.
    public let extensionInput: ASPasskeyAssertionCredentialExtensionInput?

    package init(
        relyingPartyIdentifier: String,
        clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        allowedCredentials: [Data],
        extensionInput: ASPasskeyAssertionCredentialExtensionInput? = nil
    ) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
        self.clientDataHash = clientDataHash
        self.userVerificationPreference = userVerificationPreference
        self.allowedCredentials = allowedCredentials
        self.extensionInput = extensionInput
    }
}
