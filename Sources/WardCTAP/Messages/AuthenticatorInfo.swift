public import WardCBOR
public import WardWebAuthn

/// What an authenticator is and what it supports: the response of `authenticatorGetInfo`.
///
/// It has every member of CTAP 2.3. Members of later versions are kept in ``unknown``. An empty list is left out when the value
/// is encoded. If the standard distinguishes an empty list from an absent one, the member is optional here.
///
/// CTAP 2.3, section 6.4.
public struct AuthenticatorInfo: Hashable, Sendable {
    /// The supported versions of the protocol, such as ``fido21``.
    public var versions: [String]
    /// The supported extensions.
    public var extensions: [CTAPExtensions.Identifier]
    /// The model.
    public var aaguid: AAGUID
    /// The supported options.
    public var options: AuthenticatorOptions
    /// The maximum message size, in bytes; `nil` means 1,024.
    public var maximumMessageSize: Int?
    /// The supported protocols for key agreement, the preferred one first.
    public var pinUVAuthProtocols: [PINUVAuthProtocol]
    /// The maximum number of credentials in a list.
    public var maximumCredentialCountInList: Int?
    /// The maximum length of a credential ID, in bytes.
    public var maximumCredentialIDLength: Int?
    /// The transports.
    public var transports: [AuthenticatorTransport]
    /// The supported signature algorithms, the preferred one first.
    public var algorithms: [PublicKeyCredentialParameters]
    /// The maximum size of the large-blob array, in bytes.
    public var maximumSerializedLargeBlobArray: Int?
    /// Whether the PIN must be changed before it is used again.
    public var forcesPINChange: Bool?
    /// The minimum PIN length, in code points.
    public var minimumPINLength: Int?
    /// The firmware version.
    public var firmwareVersion: Int?
    /// The maximum length of `credBlob`, in bytes.
    public var maximumCredBlobLength: Int?
    /// The maximum number of RP IDs that may learn the minimum PIN length.
    public var maximumRPIDsForSetMinPINLength: Int?
    /// How many times a client should try built-in verification before it asks for the PIN.
    public var preferredPlatformUvAttempts: Int?
    /// The verification methods: bits of the FIDO Registry of Predefined Values.
    public var uvModality: UInt64?
    /// The authenticator's certifications: a map from name to level.
    public var certifications: CBORValue?
    /// The estimated number of further discoverable credentials.
    public var remainingDiscoverableCredentials: Int?
    /// The vendor's subcommands of `authenticatorConfig`.
    public var vendorPrototypeConfigCommands: [UInt64]?
    /// The supported attestation statement formats.
    ///
    /// The format `none` is never listed.
    public var attestationFormats: [String]
    /// How many times a person was verified by built-in verification since the PIN was last entered.
    public var uvCountSinceLastPINEntry: Int?
    /// Whether a reset needs a long touch.
    public var needsLongTouchForReset: Bool?
    /// The encrypted identifier of this device.
    ///
    /// Only the holder of a persistent token can read it.
    public var encryptedIdentifier: [UInt8]?
    /// The transports that allow a reset.
    public var transportsForReset: [AuthenticatorTransport]?
    /// Whether PINs must meet a complexity policy.
    public var hasPINComplexityPolicy: Bool?
    /// The URL of this policy, as UTF-8 bytes.
    public var pinComplexityPolicyURL: [UInt8]?
    /// The maximum PIN length, in code points.
    public var maximumPINLength: Int?
    /// The encrypted state of the authenticator's credentials, for the holder of a persistent token.
    public var encryptedCredentialStoreState: [UInt8]?
    /// The supported subcommands of `authenticatorConfig`.
    public var authenticatorConfigCommands: [UInt64]?
    /// Unknown members.
    public var unknown: [CBORPair] = []

    /// CTAP 1, which is U2F.
    public static let u2f = "U2F_V2"
    /// CTAP 2.0.
    public static let fido20 = "FIDO_2_0"
    /// CTAP 2.1.
    public static let fido21 = "FIDO_2_1"
    /// CTAP 2.3; the standard has no version name for 2.2.
    public static let fido23 = "FIDO_2_3"

    /// Creates a value with the members that every authenticator has.
    ///
    /// Set the other members afterwards.
    public init(
        versions: [String],
        extensions: [CTAPExtensions.Identifier] = [],
        aaguid: AAGUID,
        options: AuthenticatorOptions = .init(),
        maximumMessageSize: Int? = nil,
        pinUVAuthProtocols: [PINUVAuthProtocol] = [],
        transports: [AuthenticatorTransport] = [],
        algorithms: [PublicKeyCredentialParameters] = [],
        attestationFormats: [String] = []
    ) {
        self.versions = versions
        self.extensions = extensions
        self.aaguid = aaguid
        self.options = options
        self.maximumMessageSize = maximumMessageSize
        self.pinUVAuthProtocols = pinUVAuthProtocols
        self.transports = transports
        self.algorithms = algorithms
        self.attestationFormats = attestationFormats
    }

    /// Whether an extension is supported.
    public func supports(_ identifier: CTAPExtensions.Identifier) -> Bool { extensions.contains(identifier) }
}
