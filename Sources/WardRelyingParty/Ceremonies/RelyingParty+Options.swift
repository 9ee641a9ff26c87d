public import WardCOSE
internal import WardDomains
public import WardWebAuthn

/// The options of one registration; the defaults create a passkey.
public struct RegistrationRequest: Sendable {
    /// Whether the credential should be discoverable.
    ///
    /// Passkeys are discoverable.
    public var residentKey: ResidentKey = .required
    /// Platform or cross-platform; `nil` derives it from the hints, or allows both.
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// Whether to verify the person; `nil` uses the policy's value, but does not require it for a passkey without a prompt.
    public var userVerification: RelyingPartyPolicy.UserVerification?
    /// `.conditional` creates a passkey without a prompt (automatic upgrade): user presence is then not required.
    public var mediation: RequestMediation = .optional
    /// The requested algorithms, best first; `nil` uses the policy's list.
    ///
    /// An empty list counts as `nil`, because clients would choose algorithms of their own.
    public var algorithms: [COSEAlgorithmIdentifier]?
    /// The attestation that is requested from the client; `nil` uses the policy's value.
    ///
    /// It changes nothing about the verification: the policy's formats and judge decide about each statement that comes.
    public var attestation: AttestationPolicy.Conveyance?
    /// The kinds of authenticator that the person will probably use, best first.
    public var hints: [PublicKeyCredentialHint] = []
    /// Extension inputs.
    ///
    /// Unless ``residentKey`` is required, `credProps` is added if it is missing: its output says whether the credential is
    /// discoverable.
    public var extensions: AuthenticationExtensionsClientInputs = .init()
    /// The origin of the request, if the service knows it.
    ///
    /// If it is set, only this origin may answer.
    public var boundOrigin: Origin?
    /// The service's own bytes, returned with the verified registration; at most a few hundred.
    public var context: [UInt8] = []

    /// Creates the default options.
    public init() {}
}

/// The options of one sign-in.
public struct AuthenticationRequest: Sendable {
    /// Whether to verify the person; `nil` uses the policy's value.
    public var userVerification: RelyingPartyPolicy.UserVerification?
    /// `.conditional` for autofill.
    ///
    /// The answer is verified in the same way.
    public var mediation: RequestMediation = .optional
    /// The kinds of authenticator that the person will probably use, best first.
    public var hints: [PublicKeyCredentialHint] = []
    /// Extension inputs; `appid` allows credentials of FIDO U2F.
    public var extensions: AuthenticationExtensionsClientInputs = .init()
    /// The origin of the request, if the service knows it.
    ///
    /// If it is set, only this origin may answer.
    public var boundOrigin: Origin?
    /// The service's own bytes, returned with the verified sign-in; at most a few hundred.
    public var context: [UInt8] = []
    /// Whether the ceremony keeps the list of allowed credentials.
    ///
    /// Without the list, any credential of the account may answer. Choose `false` if all of them are allowed anyway: the stored
    /// ceremony then has the same small size, no matter how many credentials there are. The value has no effect if the account
    /// is not known.
    public var keepsAllowedCredentials = true

    /// Creates the default options.
    public init() {}
}

extension RelyingParty {
    /// Begins a registration: makes the options for the client and the ceremony to store.
    ///
    /// - Parameters:
    ///   - user: The account. Its ID is the user handle: random bytes, not a name. Control characters and characters that
    ///     change the writing direction are removed from its names, because authenticators show them.
    ///   - excluding: The account's credentials, so that no authenticator creates another one.
    ///   - request: Further options.
    /// - Returns: The options for the client, and the ceremony that the service stores until it is answered.
    public func registrationOptions(
        for user: PublicKeyCredentialUserEntity,
        excluding: [PublicKeyCredentialDescriptor] = [],
        request: RegistrationRequest = .init()
    ) -> (options: PublicKeyCredentialCreationOptions, ceremony: Ceremony) {
        let isConditional = request.mediation == .conditional
        let algorithms = request.algorithms.flatMap { $0.isEmpty ? nil : $0 } ?? policy.algorithms
        // L3 #sctn-createCredential: a client without a prompt can rarely verify the person, so it is not asked to,
        // unless the request requires it. "If user verification cannot be collected during the ceremony", such a client
        // refuses.
        let verification = request.userVerification ?? (isConditional ? .preferred : policy.userVerification)
        let challenge = Challenge.random(effects)
        let user = user.withoutControlCharacters
        var extensions = request.extensions
        if request.residentKey != .required, extensions.credProps == nil { extensions.credProps = true }
        let options = PublicKeyCredentialCreationOptions(
            rp: .init(id: id.description, name: name),
            user: user,
            challenge: challenge,
            pubKeyCredParams: algorithms.map(PublicKeyCredentialParameters.init),
            timeout: policy.ceremonyLifetime * 1_000,
            excludeCredentials: excluding,
            authenticatorSelection: .init(
                authenticatorAttachment: request.authenticatorAttachment ?? Self.attachment(for: request.hints),
                residentKey: request.residentKey.requirement,
                userVerification: verification.requirement
            ),
            hints: request.hints,
            attestation: (request.attestation ?? policy.attestation.conveyance).preference,
            extensions: extensions
        )
        let ceremony = Ceremony(
            id: .random(effects),
            kind: .registration,
            challenge: challenge,
            rpID: id.description,
            requiresUserVerification: verification == .required,
            isConditional: isConditional,
            algorithms: algorithms,
            boundOrigin: request.boundOrigin,
            user: user,
            expiresAt: effects.now() + policy.ceremonyLifetime,
            context: request.context
        )
        return (options, ceremony)
    }

    /// The attachment for clients that do not support hints, if all hints mean the same attachment.
    ///
    /// WebAuthn Level 3, [§5.8.7](https://www.w3.org/TR/webauthn-3/#enum-hints): "for compatibility with older user
    /// agents".
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

    /// Begins a sign-in: makes the options for the client and the ceremony to store.
    ///
    /// - Parameters:
    ///   - allowing: The allowed credentials; an empty list allows any discoverable one.
    ///   - user: The account, if it is already known. Then only its credentials may answer.
    ///   - request: Further options.
    /// - Returns: The options for the client, and the ceremony that the service stores until it is answered.
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
            userVerification: verification.requirement,
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
            allowedCredentials: user == nil || request.keepsAllowedCredentials ? allowing.map(\.id) : [],
            appID: appID,
            expiresAt: effects.now() + policy.ceremonyLifetime,
            context: request.context
        )
        return (options, ceremony)
    }
}
