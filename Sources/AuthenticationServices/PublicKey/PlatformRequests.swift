public import Foundation
internal import WardAgentClient
internal import WardCOSE
internal import WardWebAuthn

/// A request for a new passkey.
///
/// `clientData` of browser apps is not here: the agent makes the client data itself, with the app's own origin.
public final class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest,
    ASAuthorizationPublicKeyCredentialRegistrationRequest
{
    /// Whether the person is asked.
    public enum RequestStyle: Int, Sendable {
        /// They are.
        case standard = 0
        /// They are not, and nothing is shown: the passkey is made if its manager filled in this account's password
        /// moments ago, and otherwise the delegate gets an error that the app keeps to itself.
        case conditional = 1
    }

    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The account's user handle, 1 to 64 bytes.
    public var userID: Data
    /// The user name, as it shall stand in lists.
    public var name: String
    /// What the person calls themselves; ``name`` where it is absent.
    public var displayName: String?
    /// The service's challenge, 16 to 1,024 bytes.
    public var challenge: Data
    /// Whether the person shall be verified; preferred unless something else is said.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// Which statement about the authenticator is wanted; none unless something else is said.
    public var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind = .none
    /// Whether the person is asked.
    public var requestStyle: RequestStyle
    /// Passkeys of this account: where one of them is, no second is made, and the error is
    /// ``ASAuthorizationError/matchedExcludedCredential``.
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
    /// Whether a phone may be offered as the place; no effect here, the agent offers what there is.
    public var shouldShowHybridTransport = true
    /// The largeBlob extension.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput?
    /// The prf extension.
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
            mediation: requestStyle == .conditional ? "conditional" : nil
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
    /// The passkeys that may answer; none means any discoverable one.
    public var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    /// Whether the person shall be verified; preferred unless something else is said.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// Whether a phone may be offered; no effect here, the agent offers what there is.
    public var shouldShowHybridTransport = true
    /// The largeBlob extension.
    public var largeBlob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput?
    /// The prf extension.
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
    /// What the request's own list is for code that knows only the protocol: descriptors of other classes are left out.
    public var allowedCredentials: [any ASAuthorizationPublicKeyCredentialDescriptor] {
        get { ownDescriptors }
        set { ownDescriptors = newValue.compactMap { $0 as? ASAuthorizationPlatformPublicKeyCredentialDescriptor } }
    }

    private var ownDescriptors: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] {
        get { allowedCredentials }
        set { allowedCredentials = newValue }
    }
}
