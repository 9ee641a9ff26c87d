internal import Crypto

/// An X.509 certificate, read from the bytes that were received and never written again.
///
/// Reading one costs about a microsecond and proves nothing: a certificate is trusted when ``TrustAnchors`` say so. What
/// is asked for by name is looked up in the bytes then.
///
/// RFC 5280, section 4.
public struct AttestationCertificate: Hashable, Sendable {
    /// The certificate in DER, exactly as received.
    public let encoded: [UInt8]
    /// What it does otherwise than the standards ask, and is accepted all the same.
    public let deviations: CertificateDeviations

    let layout: CertificateLayout

    /// Reads a certificate to its last byte.
    ///
    /// - Parameter encoded: DER, at most 32 KiB.
    /// - Throws: ``CertificateError`` saying what is broken. A key or a signature of an unknown kind is no error here, but
    ///   one as soon as something shall be verified with it.
    public init(_ encoded: [UInt8]) throws(CertificateError) {
        guard encoded.count <= 32_768 else { throw CertificateError(.tooLarge, "\(encoded.count) bytes") }
        var deviations: CertificateDeviations = []
        layout = try CertificateLayout(encoded.span, &deviations)
        self.encoded = encoded
        self.deviations = deviations
    }

    /// Certificates are equal when their bytes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.encoded == rhs.encoded }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

// MARK: What it says

extension AttestationCertificate {
    /// 1, 2 or 3.
    public var version: Int { layout.version }
    /// The serial number, big-endian, as it stands there.
    public var serialNumber: [UInt8] { encoded.span.copy(layout.serialNumber) }
    /// Whom the certificate speaks of.
    public var subject: DistinguishedName { DistinguishedName(layout.subject, of: encoded.span) }
    /// Who signed it, by its own account.
    public var issuer: DistinguishedName { DistinguishedName(layout.issuer, of: encoded.span) }
    /// Whether subject and issuer are the same, as in roots.
    public var isSelfIssued: Bool {
        encoded.span.isEqual(layout.subject, to: layout.issuer) || subject.matches(issuer)
    }
    /// The first second at which it is valid, since 1970.
    public var notBefore: Int64 { layout.notBefore }
    /// The last second at which it is valid, since 1970; the end of the year 9999 means for ever.
    public var notAfter: Int64 { layout.notAfter }
    /// What it is signed with.
    public var signatureAlgorithm: CertificateSignatureAlgorithm { layout.signatureAlgorithm }
    /// The kind of key it vouches for: `P-256`, `RSA-2048`, `Ed25519`, or an object identifier.
    public var keyDescription: String { layout.key.description(in: encoded.span) }
    /// The SubjectPublicKeyInfo in DER, as it stands there.
    public var subjectPublicKeyInfo: [UInt8] { encoded.span.copy(layout.keyInfo) }

    /// SHA-1 over the subject's public key, which is how metadata names authenticators that have no AAGUID.
    ///
    /// RFC 5280, section 4.2.1.2, method 1; FIDO Metadata Service 3, section 3.1.1, `attestationCertificateKeyIdentifiers`.
    public var keyIdentifier: [UInt8] {
        Array(Insecure.SHA1.hash(data: encoded.span.copy(layout.keyBits)))
    }

    /// SHA-256 over the whole certificate.
    public var fingerprint: [UInt8] { Array(SHA256.hash(data: encoded)) }

    /// Whether it may sign other certificates, or `nil` when it does not say.
    public var isAuthority: Bool? { layout.basicConstraints.map(\.isAuthority) }
    /// How many further authorities may stand below it.
    public var pathLength: Int? { layout.basicConstraints?.pathLength }
    /// What its key may be used for, or `nil` when it does not say.
    public var keyUsage: KeyUsage? { layout.keyUsage }

    /// Whether a time lies within its validity.
    public func isValid(at now: Int64) -> Bool { notBefore <= now && now <= notAfter }
}

/// What a certificate's key may be used for: RFC 5280, section 4.2.1.3.
public struct KeyUsage: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// Bit 0 of the standard is the lowest.
    public let rawValue: UInt16
    /// Takes bits.
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

    /// The standard's names, with commas.
    public var description: String {
        Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] }.joined(separator: ", ")
    }
}

/// One extension of a certificate: RFC 5280, section 4.2.
public struct CertificateExtension: Hashable, Sendable {
    /// What it is.
    public let identifier: OID
    /// Whether who does not know it must refuse the certificate.
    public let isCritical: Bool
    /// Its value, in DER.
    public let value: [UInt8]
}
