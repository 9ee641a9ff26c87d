/// How a command ended: the first byte of a response.
///
/// Unknown bytes are kept. As an error it is what an authenticator refuses with; it never carries ``ok`` then.
///
/// CTAP 2.3, section 8.2, Status codes.
public struct CTAPStatus: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte.
    public let rawValue: UInt8
    /// Creates a value from any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was done.
    public static let ok = Self(rawValue: 0x00)
    /// No such command.
    public static let invalidCommand = Self(rawValue: 0x01)
    /// A parameter has a value it must not have.
    public static let invalidParameter = Self(rawValue: 0x02)
    /// A message or a string has a length it must not have.
    public static let invalidLength = Self(rawValue: 0x03)
    /// Packets came in another order than they were sent.
    public static let invalidSequence = Self(rawValue: 0x04)
    /// The rest of a message did not come in time.
    public static let timeout = Self(rawValue: 0x05)
    /// Another conversation is going on.
    public static let channelBusy = Self(rawValue: 0x06)
    /// The channel must be locked first.
    public static let lockRequired = Self(rawValue: 0x0a)
    /// No such channel.
    public static let invalidChannel = Self(rawValue: 0x0b)
    /// An item of CBOR has another type than its place wants.
    public static let cborUnexpectedType = Self(rawValue: 0x11)
    /// The message is no canonical CBOR.
    public static let invalidCBOR = Self(rawValue: 0x12)
    /// A parameter that must be there is absent.
    public static let missingParameter = Self(rawValue: 0x14)
    /// More, or longer, than the authenticator takes.
    public static let limitExceeded = Self(rawValue: 0x15)
    /// No room for another fingerprint.
    public static let fingerprintDatabaseFull = Self(rawValue: 0x17)
    /// No room for another large blob.
    public static let largeBlobStorageFull = Self(rawValue: 0x18)
    /// One of the excluded credentials is here, and the person agreed that this is said.
    public static let credentialExcluded = Self(rawValue: 0x19)
    /// It goes on; for transports.
    public static let processing = Self(rawValue: 0x21)
    /// The credential is not one of this authenticator's.
    public static let invalidCredential = Self(rawValue: 0x22)
    /// It waits for a person.
    public static let userActionPending = Self(rawValue: 0x23)
    /// Something goes on already.
    public static let operationPending = Self(rawValue: 0x24)
    /// Nothing goes on.
    public static let noOperations = Self(rawValue: 0x25)
    /// None of the algorithms is one the authenticator has.
    public static let unsupportedAlgorithm = Self(rawValue: 0x26)
    /// The person said no, or nobody was there.
    public static let operationDenied = Self(rawValue: 0x27)
    /// No room for another credential.
    public static let keyStoreFull = Self(rawValue: 0x28)
    /// The authenticator never does what an option wants.
    public static let unsupportedOption = Self(rawValue: 0x2b)
    /// The authenticator does not do now what an option wants.
    public static let invalidOption = Self(rawValue: 0x2c)
    /// The client took its request back.
    public static let keepaliveCancel = Self(rawValue: 0x2d)
    /// There is no credential to answer with.
    public static let noCredentials = Self(rawValue: 0x2e)
    /// The person did not answer in time.
    public static let userActionTimeout = Self(rawValue: 0x2f)
    /// The command makes no sense now.
    public static let notAllowed = Self(rawValue: 0x30)
    /// The PIN is wrong.
    public static let pinInvalid = Self(rawValue: 0x31)
    /// The PIN was wrong too often.
    public static let pinBlocked = Self(rawValue: 0x32)
    /// Something was not authenticated with the key that was agreed on.
    public static let pinAuthInvalid = Self(rawValue: 0x33)
    /// Authentication failed too often; power must be cut.
    public static let pinAuthBlocked = Self(rawValue: 0x34)
    /// There is no PIN yet.
    public static let pinNotSet = Self(rawValue: 0x35)
    /// A token is needed.
    public static let pinUVAuthTokenRequired = Self(rawValue: 0x36)
    /// The PIN is too short or too simple.
    public static let pinPolicyViolation = Self(rawValue: 0x37)
    /// The message is longer than the authenticator takes.
    public static let requestTooLarge = Self(rawValue: 0x39)
    /// The person took too long.
    public static let actionTimeout = Self(rawValue: 0x3a)
    /// A person must be there for this.
    public static let userPresenceRequired = Self(rawValue: 0x3b)
    /// Built-in verification failed too often.
    public static let userVerificationBlocked = Self(rawValue: 0x3c)
    /// Stored bytes are damaged.
    public static let integrityFailure = Self(rawValue: 0x3d)
    /// No such subcommand.
    public static let invalidSubcommand = Self(rawValue: 0x3e)
    /// Built-in verification failed.
    public static let userVerificationInvalid = Self(rawValue: 0x3f)
    /// The token must not be used for this.
    public static let unauthorizedPermission = Self(rawValue: 0x40)
    /// Something else.
    public static let other = Self(rawValue: 0x7f)

    /// The byte, in the form in which logs and other people's tools have it.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "CTAP status 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
