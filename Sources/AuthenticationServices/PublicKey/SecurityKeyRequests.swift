public import Foundation
internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardWebAuthn

/// A request for a new credential on a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest,
    ASAuthorizationPublicKeyCredentialRegistrationRequest
{
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The account's user handle, 1 to 64 bytes.
    public var userID: Data
    /// The user name.
    public var name: String
    /// The display name.
    public var displayName: String?
    /// The service's challenge, 16 to 1,024 bytes.
    public var challenge: Data
    /// Whether user verification is wanted; preferred by default.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// The requested attestation; none by default.
    public var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind = .none
    /// The signature algorithms that the service accepts, best first; an empty list means ES256.
    public var credentialParameters: [ASAuthorizationPublicKeyCredentialParameters] = []
    /// Credentials that the account already has.
    ///
    /// A security key that has one of these credentials does not create another.
    public var excludedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] = []
    /// Whether the credential should be discoverable; discouraged by default.
    public var residentKeyPreference: ASAuthorizationPublicKeyCredentialResidentKeyPreference = .discouraged

    init(
        provider: ASAuthorizationSecurityKeyPublicKeyCredentialProvider,
        challenge: Data,
        displayName: String,
        name: String,
        userID: Data
    ) {
        relyingPartyIdentifier = provider.relyingPartyIdentifier
        self.challenge = challenge
        self.displayName = displayName
        self.name = name
        self.userID = userID
        super.init(provider: provider)
    }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        let parameters = credentialParameters.map { parameter in
            WardWebAuthn.PublicKeyCredentialParameters(COSEAlgorithmIdentifier(rawValue: parameter.algorithm.rawValue))
        }
        let options = PublicKeyCredentialCreationOptions(
            rp: .init(id: try relyingPartyIdentifier.asRelyingPartyIdentifier(), name: relyingPartyIdentifier),
            user: .init(id: try userID.asUserHandle(), name: name, displayName: displayName ?? name),
            challenge: try challenge.asChallenge(),
            pubKeyCredParams: parameters.isEmpty ? [.init(.es256)] : parameters,
            excludeCredentials: try excludedCredentials.asDescriptors(),
            authenticatorSelection: .init(
                authenticatorAttachment: .crossPlatform,
                residentKey: .init(rawValue: residentKeyPreference.rawValue),
                userVerification: .init(rawValue: userVerificationPreference.rawValue)
            ),
            hints: [.securityKey],
            attestation: .init(rawValue: attestationPreference.rawValue)
        )
        let request = AppRequest(
            .securityKeyRegistration,
            domain: relyingPartyIdentifier,
            options: options.value.text
        )
        return PreparedRequest(request) { result throws(ASAuthorizationError) in
            ASAuthorizationSecurityKeyPublicKeyCredentialRegistration(try result.registration())
        }
    }
}

/// A request to sign in with a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest: ASAuthorizationRequest,
    ASAuthorizationPublicKeyCredentialAssertionRequest
{
    /// The service's challenge, 16 to 1,024 bytes.
    public var challenge: Data
    /// The RP ID.
    public var relyingPartyIdentifier: String
    /// The allowed credentials; an empty list allows any discoverable one.
    public var allowedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] = []
    /// Whether user verification is wanted; preferred by default.
    public var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference = .preferred
    /// The AppID for credentials that were created with FIDO U2F.
    public var appID: String?

    init(provider: ASAuthorizationSecurityKeyPublicKeyCredentialProvider, challenge: Data) {
        relyingPartyIdentifier = provider.relyingPartyIdentifier
        self.challenge = challenge
        super.init(provider: provider)
    }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        var options = PublicKeyCredentialRequestOptions(
            challenge: try challenge.asChallenge(),
            rpID: try relyingPartyIdentifier.asRelyingPartyIdentifier(),
            allowCredentials: try allowedCredentials.asDescriptors(),
            userVerification: .init(rawValue: userVerificationPreference.rawValue),
            hints: [.securityKey]
        )
        options.extensions.appID = appID
        let request = AppRequest(.securityKeyAssertion, domain: relyingPartyIdentifier, options: options.value.text)
        return PreparedRequest(request) { result throws(ASAuthorizationError) in
            ASAuthorizationSecurityKeyPublicKeyCredentialAssertion(try result.assertion())
        }
    }
}

extension ASAuthorizationPublicKeyCredentialAssertionRequest
where Self: ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest {
    /// The same list for code that knows only the protocol.
    ///
    /// Descriptors of other classes are left out.
    public var allowedCredentials: [any ASAuthorizationPublicKeyCredentialDescriptor] {
        get { ownDescriptors }
        set { ownDescriptors = newValue.compactMap { $0 as? ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor } }
    }

    private var ownDescriptors: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] {
        get { allowedCredentials }
        set { allowedCredentials = newValue }
    }
}
