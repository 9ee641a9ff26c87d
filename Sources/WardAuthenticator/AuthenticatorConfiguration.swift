internal import WardCTAP
public import WardWebAuthn

extension AAGUID {
    /// The AAGUID of every ``SoftwareAuthenticator``, a fixed random value: `a507ec09-614b-4d83-a05b-7faf0197a0c8`.
    public static var ward: AAGUID {
        AAGUID([
            0xa5, 0x07, 0xec, 0x09, 0x61, 0x4b, 0x4d, 0x83,
            0xa0, 0x5b, 0x7f, 0xaf, 0x01, 0x97, 0xa0, 0xc8,
        ]) ?? .zero
    }
}

/// The properties and limits of a ``SoftwareAuthenticator``.
public struct AuthenticatorConfiguration: Hashable, Sendable {
    /// The AAGUID.
    ///
    /// Use `AAGUID.ward` unless you have a reason for another one.
    public var aaguid: AAGUID = .ward
    /// The protocol versions that the authenticator reports.
    ///
    /// It reports 2.0 and 2.1, as phones do, because clients use these versions to select and verify an authenticator. It does
    /// not support tokens, PINs and credential management of 2.1, and its options say so.
    public var versions: [String] = [AuthenticatorInfo.fido20, AuthenticatorInfo.fido21]
    /// The transports.
    public var transports: [AuthenticatorTransport] = [.internal]
    /// Whether the authenticator is part of the client's device.
    public var isPlatformDevice = true
    /// The maximum message length for ``SoftwareAuthenticator/process(_:in:)``, in bytes; USB carries at most 7,609.
    public var maximumMessageSize = 7_609
    /// The maximum number of credentials in a list.
    public var maximumCredentialCountInList = 128
    /// The maximum length of `largeBlob`, in bytes.
    public var maximumLargeBlobLength = 4_096
    /// Whether ``SoftwareAuthenticator/process(_:in:)`` accepts `prf` and `largeBlob`, whose values are unencrypted.
    ///
    /// Set it only if the transport encrypts messages, as the hybrid transport does. A client in the same process can always
    /// use both extensions.
    public var takesDirectExtensionsInMessages = false

    /// Creates the configuration of a platform authenticator.
    public init() {}
}
