internal import SwiftASN1

/// Certificates that a service trusts: roots, intermediates, or the certificates of single authenticators.
///
/// They are trusted only because they are listed. A root in a response is only a claim and never trusted:
///
/// ```swift
/// let anchors = try TrustAnchors(pem: vendorRoots)
/// let path = try anchors.path(for: certificates, at: now)
/// print(path.anchor.subject)
/// ```
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), steps 23 and 24.
public struct TrustAnchors: Sendable {
    /// The certificates without duplicates, in the given order.
    public let certificates: [AttestationCertificate]

    let anchors: [Anchor]
    private let places: [[UInt8]: [Int]]

    /// An anchor with its imported key.
    ///
    /// If the key cannot be imported, it is `nil`, and the anchor can only be the authenticator's own certificate.
    struct Anchor: Sendable {
        let certificate: AttestationCertificate
        let key: CertificateKey?
    }

    /// An empty list.
    ///
    /// It trusts no certificate.
    public static let none = TrustAnchors([])

    /// Whether the list is empty.
    public var isEmpty: Bool { certificates.isEmpty }

    /// Creates a list of parsed certificates.
    public init(_ certificates: [AttestationCertificate]) {
        var unique: [AttestationCertificate] = []
        var places: [[UInt8]: [Int]] = [:]
        for certificate in certificates where !unique.contains(certificate) {
            let subject = certificate.encoded.span.copy(certificate.layout.subject)
            places[subject, default: []].append(unique.count)
            unique.append(certificate)
        }
        self.certificates = unique
        self.places = places
        anchors = unique.map { Anchor(certificate: $0, key: try? CertificateKey($0)) }
    }

    /// Creates a list of certificates in DER.
    ///
    /// - Throws: ``CertificateError`` for the first malformed one.
    public init(der: [[UInt8]]) throws(CertificateError) {
        var read: [AttestationCertificate] = []
        for encoded in der { read.append(try AttestationCertificate(encoded)) }
        self.init(read)
    }

    /// Creates a list of all certificates in a PEM text; other blocks are ignored.
    ///
    /// - Throws: ``CertificateError`` if the text is not PEM, contains no certificate, or contains a malformed one.
    public init(pem: String) throws(CertificateError) {
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: pem)
        } catch {
            throw CertificateError(.malformed, "the text is not PEM")
        }
        let wanted = documents.filter {
            ["CERTIFICATE", "X509 CERTIFICATE"].contains($0.discriminator)
        }
        guard !wanted.isEmpty else { throw CertificateError(.noCertificate, "the text contains no certificate") }
        try self.init(der: wanted.map(\.derBytes))
    }

    /// Combines two lists.
    public func union(_ other: TrustAnchors) -> TrustAnchors {
        isEmpty ? other : other.isEmpty ? self : TrustAnchors(certificates + other.certificates)
    }

    /// Whether this exact certificate is listed.
    func contains(_ certificate: AttestationCertificate) -> Bool {
        let subject = certificate.encoded.span.copy(certificate.layout.subject)
        return places[subject]?.contains { certificates[$0] == certificate } ?? false
    }

    /// The anchors whose subject is the certificate's issuer.
    func issuers(of certificate: AttestationCertificate) -> [Anchor] {
        let name = certificate.encoded.span.copy(certificate.layout.issuer)
        if let places = places[name] { return places.map { anchors[$0] } }
        // The names can be the same even if they are encoded differently.
        let issuer = certificate.issuer
        return anchors.filter { $0.certificate.subject.matches(issuer) }
    }
}
