public import WardCOSE

/// Names a ceremony between service and page: 16 random bytes.
public struct CeremonyID: Hashable, Sendable, CustomStringConvertible {
    /// The raw bytes.
    public let bytes: [UInt8]

    /// Accepts 16 bytes, or answers `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Accepts the text form, or answers `nil`.
    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    package static func random(_ effects: Effects) -> CeremonyID {
        CeremonyID(unchecked: effects.randomBytes(16))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The text form: base64url.
    public var description: String { Base64URL.encode(bytes) }
}

/// Everything that verification will need, fixed when a ceremony begins and kept by the service, never by the page.
///
/// A page gets the options and the ceremony's identifier; what the answer is held against is this value alone, so a client
/// cannot lower a requirement.
public struct Ceremony: Hashable, Sendable {
    /// What it is for.
    public enum Kind: Hashable, Sendable {
        /// Making a credential.
        case registration
        /// Using one.
        case authentication
    }

    /// Its identifier.
    public let id: CeremonyID
    /// What it is for.
    public let kind: Kind
    /// The challenge that was sent.
    public let challenge: Challenge
    /// The RP ID that was sent.
    public let rpID: String
    /// Whether the person must be verified.
    public let requiresUserVerification: Bool
    /// Whether the client shows nothing and asks nobody: an automatic upgrade, or autofill.
    public let isConditional: Bool
    /// The algorithms that were asked for, at registration.
    public let algorithms: [COSEAlgorithmIdentifier]
    /// The only origin that may answer, where the service knows where the ceremony began.
    public let boundOrigin: Origin?
    /// The account a credential is made for, at registration.
    public let user: PublicKeyCredentialUserEntity?
    /// The account that signs in, where it is known before.
    public let userHandle: UserHandle?
    /// The credentials that may answer; none means any discoverable one.
    public let allowedCredentials: [CredentialID]
    /// The FIDO AppID that was sent with the `appid` extension.
    public let appID: String?
    /// When its time is over, in seconds since 1970.
    public let expiresAt: Int64
    /// The service's own bytes, given back as they were.
    public let context: [UInt8]

    package init(
        id: CeremonyID,
        kind: Kind,
        challenge: Challenge,
        rpID: String,
        requiresUserVerification: Bool,
        isConditional: Bool,
        algorithms: [COSEAlgorithmIdentifier] = [],
        boundOrigin: Origin? = nil,
        user: PublicKeyCredentialUserEntity? = nil,
        userHandle: UserHandle? = nil,
        allowedCredentials: [CredentialID] = [],
        appID: String? = nil,
        expiresAt: Int64,
        context: [UInt8] = []
    ) {
        self.id = id
        self.kind = kind
        self.challenge = challenge
        self.rpID = rpID
        self.requiresUserVerification = requiresUserVerification
        self.isConditional = isConditional
        self.algorithms = algorithms
        self.boundOrigin = boundOrigin
        self.user = user
        self.userHandle = userHandle
        self.allowedCredentials = allowedCredentials
        self.appID = appID
        self.expiresAt = expiresAt
        self.context = context
    }
}
