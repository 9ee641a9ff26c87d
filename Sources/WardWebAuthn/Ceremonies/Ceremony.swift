public import WardCOSE
internal import WardText

/// The ID of a ceremony: 16 random bytes, shared by service and page.
public struct CeremonyID: Hashable, Sendable, CustomStringConvertible {
    /// The raw bytes.
    public let bytes: [UInt8]

    /// Accepts 16 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Accepts the text form, or returns `nil`.
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

/// The values that verification needs, fixed when a ceremony begins.
///
/// The service stores them; the page never does.
///
/// The page gets only the options and the ceremony's ID. Verification uses only this value, so a client cannot lower a
/// requirement.
public struct Ceremony: Hashable, Sendable {
    /// The purpose of a ceremony.
    public enum Kind: Hashable, Sendable {
        /// Create a credential.
        case registration
        /// Use a credential.
        case authentication
    }

    /// The ceremony's ID.
    public let id: CeremonyID
    /// The purpose.
    public let kind: Kind
    /// The challenge that was sent.
    public let challenge: Challenge
    /// The RP ID that was sent.
    public let rpID: String
    /// Whether the person must be verified.
    public let requiresUserVerification: Bool
    /// Whether the client shows no prompt: an automatic upgrade, or autofill.
    public let isConditional: Bool
    /// The requested algorithms, at registration.
    public let algorithms: [COSEAlgorithmIdentifier]
    /// The only origin that may answer, if the service knows where the ceremony began.
    public let boundOrigin: Origin?
    /// The account that gets the new credential, at registration.
    public let user: PublicKeyCredentialUserEntity?
    /// The account that signs in, if it is already known.
    public let userHandle: UserHandle?
    /// The allowed credentials; an empty list allows any discoverable one.
    public let allowedCredentials: [CredentialID]
    /// The FIDO AppID that was sent with the `appid` extension.
    public let appID: String?
    /// When the ceremony expires, in seconds since 1970.
    public let expiresAt: Int64
    /// The service's own bytes, returned unchanged.
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
