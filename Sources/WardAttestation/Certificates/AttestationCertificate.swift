internal import Crypto

/// An X.509 certificate, read from the received bytes and never encoded again.
///
/// Reading a certificate takes about a microsecond. It does not check whether the certificate is trusted; ``TrustAnchors``
/// decide that. Properties are read from the bytes when they are used.
///
/// RFC 5280, section 4.
public struct AttestationCertificate: Hashable, Sendable {
    /// The certificate in DER, exactly as received.
    public let encoded: [UInt8]
    /// The accepted deviations from the standards.
    public let deviations: CertificateDeviations

    let layout: CertificateLayout

    /// Reads a certificate to its last byte.
    ///
    /// - Parameter encoded: DER, at most 32 KiB.
    /// - Throws: ``CertificateError`` that says what is malformed. An unknown kind of key or signature is an error only
    ///   when it is used for verification.
    public init(_ encoded: [UInt8]) throws(CertificateError) {
        guard encoded.count <= 32_768 else { throw CertificateError(.tooLarge, "\(encoded.count) bytes") }
        var deviations: CertificateDeviations = []
        layout = try CertificateLayout(encoded.span, &deviations)
        self.encoded = encoded
        self.deviations = deviations
    }

    /// Certificates are equal if their bytes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.encoded == rhs.encoded }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

// // MARK: Properties

extension AttestationCertificate {
    /// 1, 2 or 3.
    public var version: Int { layout.version }
    /// The serial number, big-endian, as encoded.
    public var serialNumber: [UInt8] { encoded.span.copy(layout.serialNumber) }
    /// The subject of the certificate.
    public var subject: DistinguishedName { DistinguishedName(layout.subject, of: encoded.span) }
    /// The issuer, as the certificate claims.
    public var issuer: DistinguishedName { DistinguishedName(layout.issuer, of: encoded.span) }
    /// Whether subject and issuer are the same, as in roots.
    public var isSelfIssued: Bool {
        encoded.span.isEqual(layout.subject, to: layout.issuer) || subject.matches(issuer)
    }
    /// The first valid second, since 1970.
    public var notBefore: Int64 { layout.notBefore }
    /// The last valid second, since 1970; the end of the year 9999 means no limit.
    public var notAfter: Int64 { layout.notAfter }
    /// The signature algorithm.
    public var signatureAlgorithm: CertificateSignatureAlgorithm { layout.signatureAlgorithm }
    /// The kind of the subject's key: `P-256`, `RSA-2048`, `Ed25519`, or an object identifier.
    public var keyDescription: String { layout.key.description(in: encoded.span) }
    /// The SubjectPublicKeyInfo in DER, as received.
    public var subjectPublicKeyInfo: [UInt8] { encoded.span.copy(layout.keyInfo) }

    /// SHA-1 of the subject's public key.
    ///
    /// Metadata uses it to identify authenticators without an AAGUID.
    ///
    /// RFC 5280, section 4.2.1.2, method 1; FIDO Metadata Service 3, section 3.1.1,
    /// `attestationCertificateKeyIdentifiers`.
    public var keyIdentifier: [UInt8] {
        Array(Insecure.SHA1.hash(data: encoded.span.copy(layout.keyBits)))
    }

    /// SHA-256 of the whole certificate.
    public var fingerprint: [UInt8] { Array(SHA256.hash(data: encoded)) }

    /// Whether the certificate may sign other certificates, or `nil` if it does not say.
    public var isAuthority: Bool? { layout.basicConstraints.map(\.isAuthority) }
    /// The maximum number of further authorities below the certificate.
    public var pathLength: Int? { layout.basicConstraints?.pathLength }
    /// The allowed uses of the certificate's key, or `nil` if it does not say.
    public var keyUsage: KeyUsage? { layout.keyUsage }

    /// Whether a time is within its validity.
    public func isValid(at now: Int64) -> Bool { notBefore <= now && now <= notAfter }
}

/// The allowed uses of a certificate's key: RFC 5280, section 4.2.1.3.
public struct KeyUsage: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// The bits; bit 0 of the standard is the lowest.
    public let rawValue: UInt16
    /// Creates a set from bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Signatures on anything but certificates and revocation lists.
    public static let digitalSignature = Self(rawValue: 1 << 0)
    /// Signatures on certificates.
    public static let keyCertSign = Self(rawValue: 1 << 5)
    /// Signatures on revocation lists.
    public static let cRLSign = Self(rawValue: 1 << 6)

    private static let names = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
        "cRLSign", "encipherOnly", "decipherOnly",
    ]

    /// The standard's names, separated by commas.
    public var description: String {
        Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] }.joined(separator: ", ")
    }
}

/// One extension of a certificate: RFC 5280, section 4.2.
public struct CertificateExtension: Hashable, Sendable {
    /// The extension's identifier.
    public let identifier: OID
    /// Whether a verifier that does not know the extension must refuse the certificate.
    public let isCritical: Bool
    /// Its value, in DER.
    public let value: [UInt8]
}
