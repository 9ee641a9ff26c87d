public import WardCBOR
public import WardWebAuthn

/// What an authenticator is and can do: the answer to `authenticatorGetInfo`.
///
/// Every member of CTAP 2.3 has its place here; members of later versions are kept in ``unknown``. An empty list is left out
/// when it is encoded, except where the standard tells an empty list from none; those are optional.
///
/// CTAP 2.3, section 6.4.
public struct AuthenticatorInfo: Hashable, Sendable {
    /// The versions of the protocol that are spoken, such as ``fido21``.
    public var versions: [String]
    /// The extensions that are supported.
    public var extensions: [CTAPExtensions.Identifier]
    /// The model.
    public var aaguid: AAGUID
    /// What it does.
    public var options: AuthenticatorOptions
    /// The longest message it takes, in bytes; absent means 1,024.
    public var maximumMessageSize: Int?
    /// The protocols it can agree on keys with, the preferred one first.
    public var pinUVAuthProtocols: [PINUVAuthProtocol]
    /// How many credentials a list may name.
    public var maximumCredentialCountInList: Int?
    /// The longest credential identifier, in bytes.
    public var maximumCredentialIDLength: Int?
    /// How it can be reached.
    public var transports: [AuthenticatorTransport]
    /// What it signs with, the preferred algorithm first.
    public var algorithms: [PublicKeyCredentialParameters]
    /// The longest array of large blobs, in bytes.
    public var maximumSerializedLargeBlobArray: Int?
    /// Whether the PIN must be changed before it is used again.
    public var forcesPINChange: Bool?
    /// The shortest PIN, in code points.
    public var minimumPINLength: Int?
    /// The version of what runs in it.
    public var firmwareVersion: Int?
    /// The longest value of `credBlob`, in bytes.
    public var maximumCredBlobLength: Int?
    /// How many RP IDs may be told the shortest length of PINs.
    public var maximumRPIDsForSetMinPINLength: Int?
    /// How often a client should try built-in verification before it asks for the PIN.
    public var preferredPlatformUvAttempts: Int?
    /// How it verifies persons: bits of the FIDO Registry of Predefined Values.
    public var uvModality: UInt64?
    /// Its certificates: a map from name to level.
    public var certifications: CBORValue?
    /// How many more discoverable credentials it may take, at a guess.
    public var remainingDiscoverableCredentials: Int?
    /// The vendor's own settings, of `authenticatorConfig`.
    public var vendorPrototypeConfigCommands: [UInt64]?
    /// The attestation statement formats it makes; `none` is never listed.
    public var attestationFormats: [String]
    /// How often a person was verified since the PIN was last entered.
    public var uvCountSinceLastPINEntry: Int?
    /// Whether forgetting everything takes a long touch.
    public var needsLongTouchForReset: Bool?
    /// A name of this very device that only the holder of a lasting token can read.
    public var encryptedIdentifier: [UInt8]?
    /// The transports over which it can be made to forget everything.
    public var transportsForReset: [AuthenticatorTransport]?
    /// Whether PINs must not be too simple.
    public var hasPINComplexityPolicy: Bool?
    /// Where that rule is written down, as bytes of UTF-8.
    public var pinComplexityPolicyURL: [UInt8]?
    /// The longest PIN, in code points.
    public var maximumPINLength: Int?
    /// The state of its credentials, for the holder of a lasting token.
    public var encryptedCredentialStoreState: [UInt8]?
    /// The subcommands of `authenticatorConfig` it takes.
    public var authenticatorConfigCommands: [UInt64]?
    /// Members that are not named here.
    public var unknown: [CBORPair] = []

    /// CTAP 1, which is U2F.
    public static let u2f = "U2F_V2"
    /// CTAP 2.0.
    public static let fido20 = "FIDO_2_0"
    /// CTAP 2.1.
    public static let fido21 = "FIDO_2_1"
    /// CTAP 2.3; there is no name for 2.2 that an authenticator may give itself.
    public static let fido23 = "FIDO_2_3"

    /// Starts with what every authenticator says; the rest is set afterwards.
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
