public import WardCOSE
internal import WardCTAP
public import WardWebAuthn

extension AAGUID {
    /// The model of every ``SoftwareAuthenticator``, drawn at random once: `a507ec09-614b-4d83-a05b-7faf0197a0c8`.
    public static var ward: AAGUID {
        AAGUID([
            0xa5, 0x07, 0xec, 0x09, 0x61, 0x4b, 0x4d, 0x83,
            0xa0, 0x5b, 0x7f, 0xaf, 0x01, 0x97, 0xa0, 0xc8,
        ]) ?? .zero
    }
}

/// What a ``SoftwareAuthenticator`` says of itself, and how much it takes.
public struct AuthenticatorConfiguration: Hashable, Sendable {
    /// The model; `AAGUID.ward` unless there is a reason.
    public var aaguid: AAGUID = .ward
    /// The versions of the protocol it names.
    ///
    /// 2.0 and 2.1, as phones do: clients select and verify by them. Of 2.1 it lacks tokens, PINs, and the management of
    /// credentials over the wire, which its options say.
    public var versions: [String] = [AuthenticatorInfo.fido20, AuthenticatorInfo.fido21]
    /// How it is reached.
    public var transports: [AuthenticatorTransport] = [.internal]
    /// Whether it is part of the client's device.
    public var isPlatformDevice = true
    /// What it signs with, the preferred one first; ES256 and EdDSA are known to work everywhere.
    public var algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA]
    /// The longest message ``SoftwareAuthenticator/process(_:in:)`` takes, in bytes; 7,609 is the most that USB carries.
    public var maximumMessageSize = 7_609
    /// How many credentials a list may name.
    public var maximumCredentialCountInList = 128
    /// The longest value of `largeBlob`, in bytes.
    public var maximumLargeBlobLength = 4_096
    /// Whether ``SoftwareAuthenticator/process(_:in:)`` understands `prf` and `largeBlob`, whose values are in the clear.
    ///
    /// Only where the transport encrypts, as the hybrid one does. A client in the same process has them always.
    public var takesDirectExtensionsInMessages = false

    /// A platform authenticator.
    public init() {}
}
