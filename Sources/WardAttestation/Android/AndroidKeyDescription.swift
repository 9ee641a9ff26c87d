/// Android's description of a key in its attestation certificate: KeyDescription.
///
/// [Schema](https://source.android.com/docs/security/features/keystore/attestation#schema); WebAuthn Level 3,
/// [§8.4.1](https://www.w3.org/TR/webauthn-3/#sctn-key-attstn-cert-requirements).
public struct AndroidKeyDescription: Hashable, Sendable {
    /// The place where a key is stored, or where a rule is enforced.
    public struct SecurityLevel: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number.
        public let rawValue: Int64
        /// Creates a value from any number.
        public init(rawValue: Int64) { self.rawValue = rawValue }
        /// In Android itself.
        public static let software = Self(rawValue: 0)
        /// A trusted execution environment, separate from Android.
        public static let trustedEnvironment = Self(rawValue: 1)
        /// A separate security chip.
        public static let strongBox = Self(rawValue: 2)

        /// The level's name in the schema, or its number.
        public var description: String {
            switch self {
            case .software: "Software"
            case .trustedEnvironment: "TrustedEnvironment"
            case .strongBox: "StrongBox"
            default: String(rawValue)
            }
        }
    }

    /// The version of the schema.
    public let attestationVersion: Int64
    /// The security level at which the attestation was made.
    public let attestationSecurityLevel: SecurityLevel
    /// The version of Keymaster or KeyMint.
    public let keymasterVersion: Int64
    /// The security level at which the key is stored.
    public let keymasterSecurityLevel: SecurityLevel
    /// The challenge that the caller wanted signed; here the hash of the client data.
    public let attestationChallenge: [UInt8]
    /// A device identifier.
    ///
    /// Only system apps get it; for other apps it is empty.
    public let uniqueID: [UInt8]
    /// The authorizations that Android itself enforces.
    public let softwareEnforced: AuthorizationList
    /// The authorizations that the secure hardware enforces; some versions call this `hardwareEnforced`.
    public let teeEnforced: AuthorizationList

    /// The allowed uses and the properties of a key.
    public struct AuthorizationList: Hashable, Sendable {
        /// One authorization, including unknown ones.
        public struct Entry: Hashable, Sendable {
            /// The tag's number in the schema.
            public let tag: UInt32
            /// The value, in DER.
            public let value: [UInt8]
        }

        /// All authorizations in their order.
        public fileprivate(set) var entries: [Entry] = []
        /// `purpose` [1]: 0 encrypt, 1 decrypt, 2 sign, 3 verify; `nil` if the list does not have it.
        public fileprivate(set) var purpose: [Int64]?
        /// `algorithm` [2]: 1 RSA, 3 elliptic curves.
        public fileprivate(set) var algorithm: Int64?
        /// `keySize` [3], in bits.
        public fileprivate(set) var keySize: Int64?
        /// `ecCurve` [10]: 0 P-224, 1 P-256, 2 P-384, 3 P-521, 4 Curve25519.
        public fileprivate(set) var curve: Int64?
        /// `noAuthRequired` [503]: the key signs without user verification.
        public fileprivate(set) var noAuthRequired = false
        /// `userAuthType` [504]: 1 password, 2 fingerprint or similar.
        public fileprivate(set) var userAuthType: Int64?
        /// `authTimeout` [505], in seconds.
        public fileprivate(set) var authTimeout: Int64?
        /// `allApplications` [600]: every app may use the key.
        public fileprivate(set) var allApplications = false
        /// `creationDateTime` [701], in milliseconds since 1970.
        public fileprivate(set) var creationDateTime: Int64?
        /// `origin` [702]: 0 generated, 1 derived, 2 imported, 3 unknown, 4 securely imported.
        public fileprivate(set) var origin: Int64?
        /// `rootOfTrust` [704].
        public fileprivate(set) var rootOfTrust: RootOfTrust?
        /// `osVersion` [705], as six digits: 120000 is Android 12.
        public fileprivate(set) var osVersion: Int64?
        /// `osPatchLevel` [706], as year and month.
        public fileprivate(set) var osPatchLevel: Int64?
    }

    /// The state in which the device was started.
    public struct RootOfTrust: Hashable, Sendable {
        /// The key that verified the system.
        public let verifiedBootKey: [UInt8]
        /// Whether the bootloader is locked.
        public let isDeviceLocked: Bool
        /// 0 verified, 1 verified with the owner's key, 2 not verified, 3 failed.
        public let verifiedBootState: Int64
    }

    /// `KM_ORIGIN_GENERATED`: the key was generated inside the hardware and was never outside.
    static var originGenerated: Int64 { 0 }
    /// `KM_PURPOSE_SIGN`.
    static var purposeSign: Int64 { 2 }
}

extension AttestationCertificate {
    /// Android's description of the key, or `nil` if this is not a certificate of an Android key, or if it is
    /// malformed.
    public var androidKeyDescription: AndroidKeyDescription? {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.androidKeyDescription, in: input) else { return nil }
        return try? AndroidKeyDescription(found.value, of: input)
    }
}

extension AndroidKeyDescription {
    init(_ range: Range<Int>, of input: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(range, of: input)
        let outer = try reader.enter(.sequence, input)
        attestationVersion = try reader.readInteger(input)
        attestationSecurityLevel = SecurityLevel(rawValue: try reader.readInteger(input, .enumerated))
        keymasterVersion = try reader.readInteger(input)
        keymasterSecurityLevel = SecurityLevel(rawValue: try reader.readInteger(input, .enumerated))
        attestationChallenge = input.copy(try reader.read(.octetString, input))
        uniqueID = input.copy(try reader.read(.octetString, input))
        softwareEnforced = try AuthorizationList(input, with: &reader)
        teeEnforced = try AuthorizationList(input, with: &reader)
        try reader.leave(outer)
        guard reader.isAtEnd else { throw .malformed("bytes follow the key description", at: reader.offset) }
    }
}

extension AndroidKeyDescription.AuthorizationList {
    fileprivate init(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let outer = try reader.enter(.sequence, input)
        while !reader.isAtEnd {
            let start = reader.offset
            let element = try reader.read(input)
            guard let tag = element.tag.explicitNumber else {
                throw .malformed("an entry of the authorization list has no tag number", at: start)
            }
            // Duplicates are refused, because it would be unclear which one counts.
            guard !entries.contains(where: { $0.tag == tag }) else {
                throw .malformed("authorization [\(tag)] is duplicated", at: start)
            }
            guard entries.count < 128 else { throw CertificateError(.tooLarge, "more than 128 authorizations") }
            entries.append(Entry(tag: tag, value: input.copy(element.contents)))
            try take(tag, element.contents, of: input)
        }
        try reader.leave(outer)
    }

    /// Decodes the authorizations that verification needs, and others for display.
    ///
    /// An authorization that verification does not need is left out if it is malformed, because the formats of device makers
    /// differ.
    private mutating func take(
        _ tag: UInt32,
        _ range: Range<Int>,
        of input: Span<UInt8>
    ) throws(CertificateError) {
        var reader = DERReader(range, of: input)
        switch tag {
        case 1: purpose = try Self.readSet(input, with: &reader)
        // The schema has NULL here; any value is accepted.
        case 600: allApplications = true
        case 702: origin = try reader.readInteger(input)
        case 2: algorithm = try? reader.readInteger(input)
        case 3: keySize = try? reader.readInteger(input)
        case 10: curve = try? reader.readInteger(input)
        case 503: noAuthRequired = true
        case 504: userAuthType = try? reader.readInteger(input)
        case 505: authTimeout = try? reader.readInteger(input)
        case 701: creationDateTime = try? reader.readInteger(input)
        case 704: rootOfTrust = try? AndroidKeyDescription.RootOfTrust(input, with: &reader)
        case 705: osVersion = try? reader.readInteger(input)
        case 706: osPatchLevel = try? reader.readInteger(input)
        default: return
        }
        guard reader.isAtEnd || ![1, 702].contains(tag) else {
            throw .malformed("bytes after authorization [\(tag)]", at: reader.offset)
        }
    }

    private static func readSet(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) -> [Int64]
    {
        let outer = try reader.enter(.set, input)
        var numbers: [Int64] = []
        while !reader.isAtEnd {
            guard numbers.count < 64 else { throw CertificateError(.tooLarge, "a set has more than 64 numbers") }
            numbers.append(try reader.readInteger(input))
        }
        try reader.leave(outer)
        return numbers
    }
}

extension AndroidKeyDescription.RootOfTrust {
    fileprivate init(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let outer = try reader.enter(.sequence, input)
        verifiedBootKey = input.copy(try reader.read(.octetString, input))
        isDeviceLocked = try reader.readBoolean(input)
        verifiedBootState = try reader.readInteger(input, .enumerated)
        // Present since version 3 of the schema.
        _ = try reader.readIfPresent(.octetString, input)
        try reader.leave(outer)
    }
}
