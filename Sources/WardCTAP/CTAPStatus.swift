internal import WardText

/// The status of a command: the first byte of a response.
///
/// Unknown bytes are kept. As a thrown error it is the reason for a refusal, and never ``ok``.
///
/// CTAP 2.3, section 8.2, Status codes.
public struct CTAPStatus: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte.
    public let rawValue: UInt8
    /// Creates a value from any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The command succeeded.
    public static let ok = Self(rawValue: 0x00)
    /// The command is unknown.
    public static let invalidCommand = Self(rawValue: 0x01)
    /// A parameter has a value that is not allowed.
    public static let invalidParameter = Self(rawValue: 0x02)
    /// A message or a string has a length that is not allowed.
    public static let invalidLength = Self(rawValue: 0x03)
    /// Packets arrived in the wrong order.
    public static let invalidSequence = Self(rawValue: 0x04)
    /// The rest of a message did not arrive in time.
    public static let timeout = Self(rawValue: 0x05)
    /// Another channel is in use.
    public static let channelBusy = Self(rawValue: 0x06)
    /// The channel must be locked first.
    public static let lockRequired = Self(rawValue: 0x0a)
    /// The channel is unknown.
    public static let invalidChannel = Self(rawValue: 0x0b)
    /// A CBOR item has the wrong type.
    public static let cborUnexpectedType = Self(rawValue: 0x11)
    /// The message is not canonical CBOR.
    public static let invalidCBOR = Self(rawValue: 0x12)
    /// A required parameter is missing.
    public static let missingParameter = Self(rawValue: 0x14)
    /// There are too many items, or they are too long for the authenticator.
    public static let limitExceeded = Self(rawValue: 0x15)
    /// There is no room for another fingerprint.
    public static let fingerprintDatabaseFull = Self(rawValue: 0x17)
    /// There is no room for another large blob.
    public static let largeBlobStorageFull = Self(rawValue: 0x18)
    /// The authenticator has one of the excluded credentials, and the person agreed that the relying party learns this.
    public static let credentialExcluded = Self(rawValue: 0x19)
    /// The command is still running.
    ///
    /// Only transports use this status.
    public static let processing = Self(rawValue: 0x21)
    /// The credential does not belong to this authenticator.
    public static let invalidCredential = Self(rawValue: 0x22)
    /// The command waits for the person.
    public static let userActionPending = Self(rawValue: 0x23)
    /// Another operation is already running.
    public static let operationPending = Self(rawValue: 0x24)
    /// No operation is running.
    public static let noOperations = Self(rawValue: 0x25)
    /// The authenticator supports none of the algorithms.
    public static let unsupportedAlgorithm = Self(rawValue: 0x26)
    /// The person declined, or was not present.
    public static let operationDenied = Self(rawValue: 0x27)
    /// There is no room for another credential.
    public static let keyStoreFull = Self(rawValue: 0x28)
    /// The authenticator never supports a requested option.
    public static let unsupportedOption = Self(rawValue: 0x2b)
    /// The authenticator does not support a requested option at the moment.
    public static let invalidOption = Self(rawValue: 0x2c)
    /// The client cancelled the request.
    public static let keepaliveCancel = Self(rawValue: 0x2d)
    /// No matching credential exists.
    public static let noCredentials = Self(rawValue: 0x2e)
    /// The person did not answer in time.
    public static let userActionTimeout = Self(rawValue: 0x2f)
    /// The command is not allowed at the moment.
    public static let notAllowed = Self(rawValue: 0x30)
    /// The PIN is wrong.
    public static let pinInvalid = Self(rawValue: 0x31)
    /// The PIN was wrong too many times.
    public static let pinBlocked = Self(rawValue: 0x32)
    /// The authentication with the shared key failed.
    public static let pinAuthInvalid = Self(rawValue: 0x33)
    /// Authentication failed too many times; disconnect the power.
    public static let pinAuthBlocked = Self(rawValue: 0x34)
    /// No PIN is set.
    public static let pinNotSet = Self(rawValue: 0x35)
    /// A token is required.
    public static let pinUVAuthTokenRequired = Self(rawValue: 0x36)
    /// The PIN is too short or too simple.
    public static let pinPolicyViolation = Self(rawValue: 0x37)
    /// The message is too long for the authenticator.
    public static let requestTooLarge = Self(rawValue: 0x39)
    /// The person took too long.
    public static let actionTimeout = Self(rawValue: 0x3a)
    /// User presence is required.
    public static let userPresenceRequired = Self(rawValue: 0x3b)
    /// Built-in verification failed too many times.
    public static let userVerificationBlocked = Self(rawValue: 0x3c)
    /// Stored bytes are damaged.
    public static let integrityFailure = Self(rawValue: 0x3d)
    /// The subcommand is unknown.
    public static let invalidSubcommand = Self(rawValue: 0x3e)
    /// Built-in verification failed.
    public static let userVerificationInvalid = Self(rawValue: 0x3f)
    /// The token does not allow this.
    public static let unauthorizedPermission = Self(rawValue: 0x40)
    /// Another error.
    public static let other = Self(rawValue: 0x7f)

    /// The byte in hexadecimal, as in logs and other tools.
    public var description: String { "CTAP status 0x" + Hex.encode([rawValue]) }
}
