/// A command of an authenticator: the first byte of a request.
///
/// Unknown bytes are kept. CTAP 2.3, section 6, Authenticator API.
public struct CTAPCommand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The byte.
    public let rawValue: UInt8
    /// Creates a value from any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates a credential.
    public static let makeCredential = Self(rawValue: 0x01)
    /// Signs with a credential.
    public static let getAssertion = Self(rawValue: 0x02)
    /// Returns what the authenticator is and what it supports.
    public static let getInfo = Self(rawValue: 0x04)
    /// The command to agree on keys, set PINs and issue tokens.
    public static let clientPIN = Self(rawValue: 0x06)
    /// The command to delete all credentials and settings.
    public static let reset = Self(rawValue: 0x07)
    /// The command to sign with the next of several found credentials.
    public static let getNextAssertion = Self(rawValue: 0x08)
    /// The command to enroll fingerprints and faces.
    public static let bioEnrollment = Self(rawValue: 0x09)
    /// The command to list and delete discoverable credentials.
    public static let credentialManagement = Self(rawValue: 0x0a)
    /// Waits for a touch, so that a person can select one of several authenticators.
    public static let selection = Self(rawValue: 0x0b)
    /// The command to read and write the array of large blobs.
    public static let largeBlobs = Self(rawValue: 0x0c)
    /// Changes settings.
    public static let config = Self(rawValue: 0x0d)
    /// The command for bio enrollment before CTAP 2.1.
    public static let prototypeBioEnrollment = Self(rawValue: 0x40)
    /// The command for credential management before CTAP 2.1.
    public static let prototypeCredentialManagement = Self(rawValue: 0x41)

    /// The name in the standard, or the byte.
    public var description: String {
        switch self {
        case .makeCredential: "authenticatorMakeCredential"
        case .getAssertion: "authenticatorGetAssertion"
        case .getInfo: "authenticatorGetInfo"
        case .clientPIN: "authenticatorClientPIN"
        case .reset: "authenticatorReset"
        case .getNextAssertion: "authenticatorGetNextAssertion"
        case .bioEnrollment: "authenticatorBioEnrollment"
        case .credentialManagement: "authenticatorCredentialManagement"
        case .selection: "authenticatorSelection"
        case .largeBlobs: "authenticatorLargeBlobs"
        case .config: "authenticatorConfig"
        default: "command 0x" + String(rawValue, radix: 16)
        }
    }
}
