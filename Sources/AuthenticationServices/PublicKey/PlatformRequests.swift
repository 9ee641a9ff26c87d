public import Foundation
internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardWebAuthn

/// A request for a new passkey.
///
/// It has no `clientData` of browser apps: the agent writes the client data itself, with the app's own origin.
public final class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest,
    ASAuthorizationPublicKeyCredentialRegistrationRequest
{
    /// Whether to show a prompt.
    public enum RequestStyle: Int, Sendable {
        /// With a prompt.
        case standard = 0
        /// Creates the passkey without a prompt. That works only if the same manager filled in this account's password in the
        /// last minutes.
        ///
        /// If it does not work, the delegate gets an error that the app should not show.
        case conditional = 1
    }

    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The account's user handle, 1 to 64 bytes.
    public var userID: Data
    /// The user name for lists.
    public var name: String
    /// The display name; default: ``name``.
    public var displayName: String?
    /// The service's challenge, 16 to 1,024 bytes.
    public var challenge: Data
    /// Whether user verification is wanted; preferred by default.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// The requested attestation; none by default.
    public var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind = .none
    /// Whether to show a prompt.
    public var requestStyle: RequestStyle
    /// Passkeys that the account already has.
    ///
    /// If the manager has one of these passkeys, it creates no other, and the error is
    /// ``ASAuthorizationError/matchedExcludedCredential``.
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
    /// Whether to offer a phone; no effect here.
    public var shouldShowHybridTransport = true
    /// Input of the largeBlob extension.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput?
    /// Input of the prf extension.
    public var prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput?

    init(
        provider: ASAuthorizationPlatformPublicKeyCredentialProvider,
        challenge: Data,
        name: String,
        userID: Data,
        requestStyle: RequestStyle
    ) {
        relyingPartyIdentifier = provider.relyingPartyIdentifier
        self.challenge = challenge
        self.name = name
        self.userID = userID
        self.requestStyle = requestStyle
        super.init(provider: provider)
    }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        var options = PublicKeyCredentialCreationOptions(
            rp: .init(id: try relyingPartyIdentifier.asRelyingPartyIdentifier(), name: relyingPartyIdentifier),
            user: .init(id: try userID.asUserHandle(), name: name, displayName: displayName ?? name),
            challenge: try challenge.asChallenge(),
            pubKeyCredParams: [.init(.es256)],
            excludeCredentials: try (excludedCredentials ?? []).asDescriptors(),
            authenticatorSelection: .init(
                residentKey: .required,
                userVerification: .init(rawValue: userVerificationPreference.rawValue)
            ),
            attestation: .init(rawValue: attestationPreference.rawValue)
        )
        options.extensions.prf = prf?.value
        options.extensions.largeBlob = largeBlob?.value
        let request = AppRequest(
            .passkeyRegistration,
            domain: relyingPartyIdentifier,
            options: options.value.text,
            mediation: requestStyle == .conditional ? .conditional : nil
        )
        return PreparedRequest(request) { result throws(ASAuthorizationError) in
            ASAuthorizationPlatformPublicKeyCredentialRegistration(try result.registration())
        }
    }
}

/// A request to sign in with a passkey.
public final class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest,
    ASAuthorizationPublicKeyCredentialAssertionRequest
{
    /// The service's challenge, 16 to 1,024 bytes.
    public var challenge: Data
    /// The RP ID.
    public var relyingPartyIdentifier: String
    /// The allowed passkeys; an empty list allows any discoverable one.
    public var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    /// Whether user verification is wanted; preferred by default.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// Whether to offer a phone; no effect here.
    public var shouldShowHybridTransport = true
    /// Input of the largeBlob extension.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput?
    /// Input of the prf extension.
    public var prf: ASAuthorizationPublicKeyCredentialPRFAssertionInput?

    init(provider: ASAuthorizationPlatformPublicKeyCredentialProvider, challenge: Data) {
        relyingPartyIdentifier = provider.relyingPartyIdentifier
        self.challenge = challenge
        super.init(provider: provider)
    }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        var options = PublicKeyCredentialRequestOptions(
            challenge: try challenge.asChallenge(),
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            allowCredentials: try allowedCredentials.asDescriptors(),
            userVerification: .init(rawValue: userVerificationPreference.rawValue)
        )
        options.extensions.prf = try prf?.asInputs()
        options.extensions.largeBlob = largeBlob?.value
        let request = AppRequest(.passkeyAssertion, domain: relyingPartyIdentifier, options: options.value.text)
        return PreparedRequest(request) { result throws(ASAuthorizationError) in
            ASAuthorizationPlatformPublicKeyCredentialAssertion(try result.assertion())
        }
    }
}

extension ASAuthorizationPublicKeyCredentialAssertionRequest
where Self: ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
    /// The same list for code that knows only the protocol.
    ///
    /// Descriptors of other classes are left out.
    public var allowedCredentials: [any ASAuthorizationPublicKeyCredentialDescriptor] {
        get { ownDescriptors }
        set { ownDescriptors = newValue.compactMap { $0 as? ASAuthorizationPlatformPublicKeyCredentialDescriptor } }
    }

    private var ownDescriptors: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] {
        get { allowedCredentials }
        set { allowedCredentials = newValue }
    }
}
