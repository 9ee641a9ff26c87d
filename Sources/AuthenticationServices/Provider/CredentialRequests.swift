public import Foundation

/// The type of a request to a credential manager.
public enum ASCredentialRequestType: Int, Sendable {
    /// A password.
    case password = 0
    /// A sign-in with a passkey.
    case passkeyAssertion = 1
    /// A new passkey.
    case passkeyRegistration = 2
    /// A verification code.
    case oneTimeCode = 3
}

/// A request to a credential manager for one credential.
public protocol ASCredentialRequest: NSObjectProtocol {
    /// The type of the request.
    var type: ASCredentialRequestType { get }
    /// The requested credential.
    var credentialIdentity: any ASCredentialIdentity { get }
}

/// A request for a password.
public final class ASPasswordCredentialRequest: NSObject, ASCredentialRequest {
    /// Always `password`.
    public var type: ASCredentialRequestType { .password }
    /// The requested credential.
    public let credentialIdentity: any ASCredentialIdentity

    /// Creates a request.
    public init(credentialIdentity: ASPasswordCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A request for a verification code.
public final class ASOneTimeCodeCredentialRequest: NSObject, ASCredentialRequest {
    /// Always `oneTimeCode`.
    public var type: ASCredentialRequestType { .oneTimeCode }
    /// The requested credential.
    public let credentialIdentity: any ASCredentialIdentity

    /// Creates a request.
    public init(credentialIdentity: ASOneTimeCodeCredentialIdentity) { self.credentialIdentity = credentialIdentity }
}

/// A verification code from a credential manager.
public final class ASOneTimeCodeCredential: NSObject, Sendable {
    /// The code.
    public let code: String

    /// Creates a credential.
    public init(code: String) { self.code = code }
}

/// Extension inputs for a sign-in.
public struct ASPasskeyAssertionCredentialExtensionInput: Hashable, Sendable {
    /// The `largeBlob` extension.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput?
    /// The `prf` extension.
    public let prf: ASAuthorizationPublicKeyCredentialPRFAssertionInput?

    /// Creates the inputs.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFAssertionInput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// Extension inputs for a new passkey.
public struct ASPasskeyRegistrationCredentialExtensionInput: Hashable, Sendable {
    /// The `largeBlob` extension.
    public let largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput?
    /// The `prf` extension.
    public let prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput?

    /// Creates the inputs.
    public init(
        largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput? = nil,
        prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput? = nil
    ) {
        self.largeBlob = largeBlob
        self.prf = prf
    }
}

/// Extension inputs of a sign-in or a registration.
public enum ASPasskeyCredentialExtensionInput: Hashable, Sendable {
    /// Inputs for a sign-in.
    case assertion(ASPasskeyAssertionCredentialExtensionInput)
    /// Inputs for a new passkey.
    case registration(ASPasskeyRegistrationCredentialExtensionInput)
}

/// A request for a passkey.
///
/// The manager gets the hash of the client data, never the client data.
public final class ASPasskeyCredentialRequest: NSObject, ASCredentialRequest {
    /// A sign-in, or a new passkey.
    public let type: ASCredentialRequestType
    /// The requested credential.
    public let credentialIdentity: any ASCredentialIdentity
    /// SHA-256 of the client data.
    public let clientDataHash: Data
    /// Whether the service wants user verification.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    /// The signature algorithms that the service accepts, best first.
    public let supportedAlgorithms: [ASCOSEAlgorithmIdentifier]
    /// Passkeys of the account.
    ///
    /// If the manager has one of these passkeys, it must not create another.
    public let excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
    /// Extension inputs.
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

    /// A request for a new passkey, in the form that the agent creates.
    convenience init(
        registering credentialIdentity: ASPasskeyCredentialIdentity,
        clientDataHash: Data,
        userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference,
        supportedAlgorithms: [ASCOSEAlgorithmIdentifier],
        excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor],
        extensionInput: ASPasskeyRegistrationCredentialExtensionInput?
    ) {
        self.init(
            .passkeyRegistration,
            credentialIdentity,
            clientDataHash,
            userVerificationPreference,
            supportedAlgorithms,
            extensionInput.map { .registration($0) },
            excludedCredentials
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
        _ extensionInput: ASPasskeyCredentialExtensionInput?,
        _ excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? = nil
    ) {
        self.type = type
        credentialIdentity = identity
        self.clientDataHash = clientDataHash
        userVerificationPreference = verification
        supportedAlgorithms = algorithms
        self.excludedCredentials = excludedCredentials
        self.extensionInput = extensionInput
    }
}

/// The values for a choice of the person between several passkeys of a manager.
public final class ASPasskeyCredentialRequestParameters: NSObject, Sendable {
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// SHA-256 of the client data.
    public let clientDataHash: Data
    /// Whether the service wants user verification.
    public let userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
    /// The allowed passkeys; an empty list allows any.
    public let allowedCredentials: [Data]
    /// Extension inputs.
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
