public import WardWebAuthn

/// What a service may say about one registration; the defaults make a passkey.
public struct RegistrationRequest: Sendable {
    /// Whether the credential shall be discoverable; a passkey is.
    public var residentKey: ResidentKeyRequirement = .required
    /// Part of the device or roaming; `nil` takes what the hints mean, or either.
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// Whether the person shall be verified; `nil` takes the policy's word, but insists on nothing in an automatic upgrade.
    public var userVerification: UserVerificationRequirement?
    /// `.conditional` for an automatic upgrade: the client shows nothing, and nobody needs to be there.
    public var mediation: CredentialMediationRequirement = .optional
    /// What interface the person is expected to use, best first.
    public var hints: [PublicKeyCredentialHint] = []
    /// Extension inputs.
    public var extensions: AuthenticationExtensionsClientInputs = .init()
    /// The origin that asked, where the service knows it: only that one may answer.
    public var boundOrigin: Origin?
    /// The service's own bytes, given back with the verified registration; at most a few hundred.
    public var context: [UInt8] = []

    /// The defaults.
    public init() {}
}

/// What a service may say about one sign-in.
public struct AuthenticationRequest: Sendable {
    /// Whether the person shall be verified; `nil` takes the policy's word.
    public var userVerification: UserVerificationRequirement?
    /// `.conditional` for autofill; the standard checks the same either way.
    public var mediation: CredentialMediationRequirement = .optional
    /// What interface the person is expected to use, best first.
    public var hints: [PublicKeyCredentialHint] = []
    /// Extension inputs; `appid` lets credentials of FIDO U2F answer.
    public var extensions: AuthenticationExtensionsClientInputs = .init()
    /// The origin that asked, where the service knows it: only that one may answer.
    public var boundOrigin: Origin?
    /// The service's own bytes, given back with the verified sign-in; at most a few hundred.
    public var context: [UInt8] = []

    /// The defaults.
    public init() {}
}

extension RelyingParty {
    /// Begins a registration: options for the client, and the ceremony to keep.
    ///
    /// - Parameters:
    ///   - user: The account; its identifier is random bytes, never a name.
    ///   - excluding: The account's credentials, so that no authenticator gets a second.
    ///   - request: What else there is to say.
    /// - Returns: The options for the client, and the ceremony that the service keeps until it is answered.
    public func registrationOptions(
        for user: PublicKeyCredentialUserEntity,
        excluding: [PublicKeyCredentialDescriptor] = [],
        request: RegistrationRequest = .init()
    ) -> (options: PublicKeyCredentialCreationOptions, ceremony: Ceremony) {
        let isConditional = request.mediation == .conditional
        // L3 #sctn-createCredential: a client that shows nothing can mostly verify nobody, so it is not asked to unless the
        // request itself insists; "if user verification cannot be collected during the ceremony", such a client refuses.
        let verification = request.userVerification ?? (isConditional ? .preferred : policy.userVerification)
        let challenge = Challenge.random(effects)
        let options = PublicKeyCredentialCreationOptions(
            rp: .init(id: id.description, name: name),
            user: user,
            challenge: challenge,
            pubKeyCredParams: policy.algorithms.map(PublicKeyCredentialParameters.init),
            timeout: policy.ceremonyLifetime * 1_000,
            excludeCredentials: excluding,
            authenticatorSelection: .init(
                authenticatorAttachment: request.authenticatorAttachment ?? Self.attachment(for: request.hints),
                residentKey: request.residentKey,
                userVerification: verification
            ),
            hints: request.hints,
            attestation: policy.attestation.conveyance,
            extensions: request.extensions
        )
        let ceremony = Ceremony(
            id: .random(effects),
            kind: .registration,
            challenge: challenge,
            rpID: id.description,
            requiresUserVerification: verification == .required,
            isConditional: isConditional,
            algorithms: policy.algorithms,
            boundOrigin: request.boundOrigin,
            user: user,
            expiresAt: effects.now() + policy.ceremonyLifetime,
            context: request.context
        )
        return (options, ceremony)
    }

    /// The attachment for clients that know no hints, where all hints mean the same one.
    ///
    /// WebAuthn Level 3, [§5.8.7](https://www.w3.org/TR/webauthn-3/#enum-hints): "for compatibility with older user agents".
    private static func attachment(for hints: [PublicKeyCredentialHint]) -> AuthenticatorAttachment? {
        let meant = Set(
            hints.map { hint -> AuthenticatorAttachment? in
                switch hint {
                case .securityKey, .hybrid: .crossPlatform
                case .clientDevice: .platform
                default: nil
                }
            }
        )
        return meant.count == 1 ? meant.first.flatMap { $0 } : nil
    }

    /// Begins a sign-in: options for the client, and the ceremony to keep.
    ///
    /// - Parameters:
    ///   - allowing: The credentials that may answer; none lets any discoverable one answer.
    ///   - user: The account, where it is known before: then only its credentials may answer.
    ///   - request: What else there is to say.
    /// - Returns: The options for the client, and the ceremony that the service keeps until it is answered.
    public func authenticationOptions(
        allowing: [PublicKeyCredentialDescriptor] = [],
        user: UserHandle? = nil,
        request: AuthenticationRequest = .init()
    ) -> (options: PublicKeyCredentialRequestOptions, ceremony: Ceremony) {
        let verification = request.userVerification ?? policy.userVerification
        let challenge = Challenge.random(effects)
        let options = PublicKeyCredentialRequestOptions(
            challenge: challenge,
            timeout: policy.ceremonyLifetime * 1_000,
            rpID: id.description,
            allowCredentials: allowing,
            userVerification: verification,
            hints: request.hints,
            extensions: request.extensions
        )
        let appID = request.extensions.appID.flatMap { $0.isEmpty ? nil : $0 }
        let ceremony = Ceremony(
            id: .random(effects),
            kind: .authentication,
            challenge: challenge,
            rpID: id.description,
            requiresUserVerification: verification == .required,
            isConditional: request.mediation == .conditional,
            boundOrigin: request.boundOrigin,
            userHandle: user,
            allowedCredentials: allowing.map(\.id),
            appID: appID,
            expiresAt: effects.now() + policy.ceremonyLifetime,
            context: request.context
        )
        return (options, ceremony)
    }
}
